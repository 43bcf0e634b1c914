// Makes the Movies graph of its facts: people, films, and who did what in which.
CREATE CONSTRAINT movie_title IF NOT EXISTS FOR (m:Movie) REQUIRE m.title IS UNIQUE;
CREATE CONSTRAINT person_name IF NOT EXISTS FOR (p:Person) REQUIRE p.name IS UNIQUE;

UNWIND $people AS person CREATE (p:Person {name: person.name}) SET p.born = person.born;
UNWIND $films AS film CREATE (:Movie {title: film.title, released: film.released});

UNWIND $people AS person UNWIND person.follows AS name
MATCH (p:Person {name: person.name}), (followed:Person {name: name}) CREATE (p)-[:FOLLOWS]->(followed);

UNWIND $films AS film UNWIND film.acted AS part
MATCH (m:Movie {title: film.title}), (p:Person {name: part.name}) CREATE (p)-[:ACTED_IN {roles: part.roles}]->(m);

UNWIND $films AS film UNWIND film.directed AS name
MATCH (m:Movie {title: film.title}), (p:Person {name: name}) CREATE (p)-[:DIRECTED]->(m);

UNWIND $films AS film UNWIND film.produced AS name
MATCH (m:Movie {title: film.title}), (p:Person {name: name}) CREATE (p)-[:PRODUCED]->(m);

UNWIND $films AS film UNWIND film.wrote AS name
MATCH (m:Movie {title: film.title}), (p:Person {name: name}) CREATE (p)-[:WROTE]->(m);

UNWIND $films AS film UNWIND film.rated AS said
MATCH (m:Movie {title: film.title}), (p:Person {name: said.name}) CREATE (p)-[:REVIEWED {rating: said.rating}]->(m);
