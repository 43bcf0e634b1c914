"""Word lists for merging: given names, titles, legal forms, and distinguishing words."""

from __future__ import annotations

# A longer name is taken for a person's where it begins with one of these. Common ones of many countries;
# a name that is missing costs a merge, not an error.
GIVEN_NAMES = frozenset(
    """
    aaron abdul abraham ada adam adolf adrian agatha agnes ahmad ahmed akira alain alan albert alberto
    albrecht alec aleksandr alessandro alex alexander alexandra alexandre alexei alexis alfonso alfred
    alfredo ali alice alicia alison allan allen amanda amelia amy ana anastasia anatoly anders andre
    andrea andreas andrei andrew andrzej andy angela angelo anita ann anna anne annie anthony antoine
    anton antonia antonio archibald aretha aristotle arnold arthur audrey august augustus barack barbara
    barry beatrice ben benedict benjamin benito bernard bernhard bernie bert bertrand betty bill billy
    bjorn bob bobby boris brad bradley brandon brenda brendan brett brian bruce bruno bryan calvin carl
    carla carlo carlos carmen carol carole caroline catherine cecil cecilia celine cesar charles charlie
    charlotte chester chris christian christina christine christoph christopher cindy claire clara
    clarence clark claude claudia clement cliff clint clive clyde colin conrad constantine craig curtis
    cynthia dale damien dan daniel daniela danny daphne darren dave david dean deborah denis dennis
    derek diana diane dick diego dietrich dimitri dirk dmitri dmitry dominic don donald donna dorothy
    doug douglas duncan dwight earl ed eddie edgar edith edmund eduardo edward edwin eileen elena
    eleanor eli elias elijah elisabeth elizabeth ella ellen elliott elsa elvis emil emilio emily emma
    emmanuel enrico enrique eric erich erik ernest ernst erwin esther ethan eugene eva evelyn fatima
    felipe felix ferdinand fernando fiona flora florence frances francesco francis francisco francois
    frank franz fred freddie frederic frederick friedrich fritz gabriel gareth gary gavin gemma gene
    geoffrey george georges georgia gerald gerard gerhard gilbert gina giorgio giovanni giuseppe glen
    glenn gloria gordon grace graham grant greg gregory greta gregor grover guido guillaume gustav guy
    hamza hannah hans harold harriet harry harvey hassan heather hector heidi heinrich helen helena
    helmut henri henry herbert herman hermann hillary hiroshi holly homer horace howard hugh hugo
    humphrey ian ibrahim ida ignacio igor immanuel ingrid irene iris irving isaac isabel isabella isaiah
    ivan jack jackie jackson jacob jacques jake james jamie jan jane janet jason javier jawaharlal jay
    jean jeff jeffrey jennifer jenny jeremy jerome jerry jesse jessica jim jimi jimmy joan joanna
    joaquin joe joel johan johann johannes john johnny jon jonas jonathan jordan jorge jose josef joseph
    josephine josh joshua juan judith judy jules julia julian julie juliet julio julius jun juri justin
    kaiser karen karl karin kate katherine kathleen kathryn kathy katie kazimierz keith kelly ken
    kenneth kenny kevin kim klaus konrad kurt kyle lana larry laura lauren laurence lawrence lee leo
    leon leonard leonardo leonhard leopold leroy leslie lewis liam lily linda lisa lloyd lorenzo louis
    louisa louise lucas lucia lucy ludwig luigi luis luke luther lydia lynn lyndon madonna mahatma
    malcolm manuel marc marcel marco marcus margaret margarita maria marian marie marilyn mario marion
    mark marlene marlon martha martin marvin mary mathew matt matthew maurice mauricio max maximilian
    megan mel melanie melissa mercedes merle michael michaela michel michele michelle miguel mike
    mikhail mildred miles milton miriam mitchell mohamed mohammad mohammed mohandas molly monica morgan
    moritz morris moses muhammad murray nadia nancy naomi napoleon natalia natalie nathan nathaniel neil
    nelson neville nicholas nick nicola nicolas nicole niels nigel nikita nikola nikolai nina noah noel
    nora norman oliver olivia olga omar oprah orson orville oscar oskar osman otto owen pablo pamela
    paolo patricia patrick patti paul paula pauline pavel pedro peggy penelope percy perry pete peter
    petra phil philip philippa philippe phillip phoebe pierre pietro placido quentin rachel rafael ralph
    ramon randy raoul raphael raul ray raymond rebecca regina reginald rene rex rhys ricardo richard
    rick rita rob robert roberto robin rod roderick rodney roger roland rolf roman ron ronald ronnie
    rosa rosalind rose ross roy ruby rudolf rudolph rudyard rupert russell ruth ryan sally salvador sam
    samantha samuel sandra sara sarah scott sean sebastian serena sergei sergey sergio seth seymour
    shane shannon sharon sheila shirley sidney sigmund silvia simon simone sofia sonia sophia sophie
    spencer stan stanley stefan stella stephanie stephen steve steven stevie stuart sue susan susanna
    suzanne sven sylvia tamara tara ted teresa terence terry thelma theodor theodore theresa thierry
    thomas tiger tim timothy tina tobias todd tom tommy toni tony tracy trevor trygve ulrich ulysses
    umberto ursula valentina valerie vanessa venus vera vernon victor victoria vincent vincenzo viola
    virginia vivian vladimir wallace walt walter wanda warren wayne wendy wesley wilbur wilfred wilhelm
    willem william willie winston winona wolfgang woodrow woody xavier yasser yoko yuri yvonne zachary
    zoe
    """.split()  # noqa: SIM905 - a list of words reads best
)
HONORIFICS = frozenset(
    """
    sir dame lord lady mr mrs ms miss dr prof professor president senator governor congressman
    congresswoman representative judge justice captain colonel major general admiral commander
    lieutenant sergeant marshal pope cardinal archbishop bishop reverend rev emperor empress king queen
    prince princess duke duchess count countess baron baroness sultan tsar chancellor premier mayor
    coach manager singer actor actress author
    """.split()  # noqa: SIM905 - as above
)
LEGAL_FORMS = frozenset(
    "inc incorporated ltd limited corp corporation co company plc llc gmbh ag".split()  # noqa: SIM905
)
# What stands inside a person's name without being one.
PARTICLES = frozenset("van von der den de da di du del della la le el al bin ibn".split())  # noqa: SIM905
# A name with one of these is not a person's, nor is one of them alone the short form of a longer name.
GENERIC = frozenset(
    """
    academy act administration agency air airlines airport album alliance archipelago area army art arts
    assembly association atoll award awards bank basin battle bay beach board book books bridge brigade
    building bureau canal cape capital castle cathedral census center centre championship championships
    channel chapel charter chronicles church cinema city class club coast college colony commission
    committee community conference congress constitution convention council country county court creek
    crown cup dam day declaration delta department desert diocese district division dome dynasty east
    eastern education election elections empire episode estate expedition express falls family fc
    federation festival field film films fleet forces foreign forest formation fort foundation fountain
    game games garden gardens gate glacier government great group gulf hall harbor harbour headquarters
    heights high highway hill hills history hospital hotel house huns industries institute intelligence
    international island islands isles junction kingdom labs lake land language law league legend
    library lighthouse line lower magazine manor market massacre medal memorial metro middle military
    mill mine minister ministry mission monastery monument mosque mount mountain mountains movement
    municipality museum music national navy network new news north northern novel observatory ocean
    office olympics opera orchestra order organization palace parish park parliament party pass
    peninsula people peoples place plain plains plant plateau play point police port press prison prize
    province public pyramid race radio railroad railway range records region regiment republic reserve
    reservoir revolution ridge river road route royal saint san santa sao school science sea season
    senate series service show society song songs south southern square st stadium state states station
    story strait street studio studios summit supreme synagogue team temple territory theater theatre
    tomb tower town township trail treaty tribe trilogy trophy tunnel union united university upper
    valley village volcano wall war wars water way west western wing woods world
    """.split()  # noqa: SIM905 - as above
)
# Of these there are many of one name: which one is meant, no document's words around it can settle.
REPEATED = frozenset(
    """
    county township parish church courthouse court consulate embassy school college hospital station
    street road avenue park cemetery library municipality district ward department ministry university
    hotel hall creek springs court diocese party championship cup league club
    """.split()  # noqa: SIM905 - as above
)
# A longer name with one of these says what something is about, belongs to or is like.
JOINING = frozenset(
    """
    of and or in on at to for from with by as against versus vs v near between into over under after
    before during about among through than the a an his her its their our my your is was are were be
    been has had have not no et und der y now formerly near also today
    """.split()  # noqa: SIM905 - as above
)
# These tell one of a row from the next: they must be the same on both sides.
COUNTED = frozenset(
    """
    one two three four five six seven eight nine ten first second third fourth fifth sixth seventh
    eighth ninth tenth i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx junior
    senior jr sr monday tuesday wednesday thursday friday saturday sunday january february march april
    may june july august september october november december spring summer autumn fall winter north
    south east west northern southern eastern western upper lower inner outer men women boys girls
    season episode volume part chapter series phase
    """.split()  # noqa: SIM905 - as above
)
