// Films and persons for the tests of statements that others wrote; many extras make products large.
CREATE (hanks:Person {name: 'Tom Hanks', born: 1956}), (ryan:Person {name: 'Meg Ryan', born: 1961}),
  (bacon:Person {name: 'Kevin Bacon', born: 1958}), (reeves:Person {name: 'Keanu Reeves', born: 1964}),
  (moss:Person {name: 'Carrie-Anne Moss', born: 1967}), (ephron:Person {name: 'Nora Ephron', born: 1941}),
  (lana:Person {name: 'Lana Wachowski', born: 1965}), (howard:Person {name: 'Ron Howard', born: 1954}),
  (old:Person {name: 'Max von Sydow', born: 1929}), (young:Person {name: 'Emil Eifrem', born: 1978}),
  (critic:Person {name: 'Jessica Thompson'}), (other:Person {name: 'Paul Blythe'}),
  (matrix:Movie {title: 'The Matrix', released: 1999, tagline: 'Welcome to the Real World'}),
  (reloaded:Movie {title: 'The Matrix Reloaded', released: 2003, tagline: 'Free your mind'}),
  (mail:Movie {title: "You've Got Mail", released: 1998}),
  (joe:Movie {title: 'Joe Versus the Volcano', released: 1990}),
  (apollo:Movie {title: 'Apollo 13', released: 1995}), (thing:Movie {title: 'That Thing You Do', released: 1996}),
  (code:Movie {title: 'The Da Vinci Code', released: 2006}), (cuckoo:Movie {title: 'The Old One', released: 1975}),
  (hanks)-[:ACTED_IN {roles: ['Joe Fox']}]->(mail), (ryan)-[:ACTED_IN {roles: ['Kathleen Kelly']}]->(mail),
  (ephron)-[:DIRECTED]->(mail), (ephron)-[:WROTE]->(mail), (ephron)-[:PRODUCED]->(mail),
  (hanks)-[:ACTED_IN {roles: ['Joe Banks']}]->(joe),
  (ryan)-[:ACTED_IN {roles: ['DeDe', 'Angelica Graynamore', 'Patricia Graynamore']}]->(joe),
  (hanks)-[:ACTED_IN {roles: ['Jim Lovell']}]->(apollo), (bacon)-[:ACTED_IN {roles: ['Jack Swigert']}]->(apollo),
  (howard)-[:DIRECTED]->(apollo), (howard)-[:DIRECTED]->(code), (hanks)-[:ACTED_IN {roles: ['Robert']}]->(code),
  (hanks)-[:ACTED_IN {roles: ['Mr. White']}]->(thing), (hanks)-[:DIRECTED]->(thing),
  (reeves)-[:ACTED_IN {roles: ['Neo']}]->(matrix), (reeves)-[:ACTED_IN {roles: ['Neo', 'The One']}]->(reloaded),
  (moss)-[:ACTED_IN {roles: ['Trinity']}]->(matrix), (moss)-[:ACTED_IN {roles: ['Trinity']}]->(reloaded),
  (lana)-[:DIRECTED]->(matrix), (lana)-[:WROTE]->(reloaded), (young)-[:ACTED_IN {roles: ['Agent Emil']}]->(matrix),
  (old)-[:ACTED_IN {roles: ['Himself']}]->(cuckoo),
  (critic)-[:REVIEWED {summary: 'A thrill', rating: 95}]->(code), (other)-[:REVIEWED {summary: 'Slow', rating: 45}]->(code),
  (critic)-[:REVIEWED {summary: 'Sweet', rating: 75}]->(mail), (other)-[:FOLLOWS]->(critic)
WITH [matrix, reloaded, mail, joe, apollo, thing, code, cuckoo] AS films
UNWIND range(1, 150) AS n
CREATE (extra:Person {name: 'Extra ' + n, born: 1930 + n % 40})
WITH extra, films, n UNWIND [n % 8, (n * 3) % 8, (n * 5 + 1) % 8] AS place
WITH DISTINCT extra, films[place] AS film
CREATE (extra)-[:ACTED_IN {roles: ['Passer-by']}]->(film)
