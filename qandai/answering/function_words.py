"""Words that hold a sentence together and tell nothing by themselves, and those in which somebody speaks of himself."""

from __future__ import annotations

from qandai.answering.refusals import base
from qandai.text import tokens

# Written by hand for telling whether a sentence is supported. Some verbs of telling are in, because whoever sums up
# what somebody said says them and the person does not.
_FUNCTION = {
    "en": "a about above after again against all also although always am an and another any anyone anything are aren't "
    "around as at away back be because been before being below between both but by came can can't cannot come "
    "comes could couldn't did didn't do does doesn't doing don't done down during each either else enough "
    "especially even ever every everything few first for from further get gets getting give given gives go goes "
    "going got had hadn't happen happened happens has hasn't have haven't having he her here hers herself him "
    "himself his how however if in instead into is isn't it it's its itself just kind last least less let like "
    "likely made main mainly make makes making many may maybe me means meant might more moreover most much must "
    "my myself near need needs neither never next no none nor not nothing now of off often on once one ones only "
    "onto or other others otherwise our ours out over own part perhaps possible put puts quite rather really same "
    "see seem seems several shall she should shouldn't since so some someone something sometimes still such take "
    "taken takes than that that's the their theirs them themselves then there therefore these they they're thing "
    "things this those though three through thus to together too toward towards two under until up upon us use "
    "used uses using usually very via was wasn't way ways we well were weren't what whatever when where whereas "
    "whether which while who whole whom whose why will with within without won't would wouldn't yet you your "
    "yours yourself according account add adds advise advises approach argue argues aspect asserts compare "
    "compared concludes concept consider considers considered describe describes described discuss discusses "
    "emphasise emphasises emphasize emphasizes example explain explains explained explaining express idea "
    "illustrate illustrates imply implies important include includes including indicate indicates instance "
    "mention mentions mentioned narrator note notes noted notion overall point points process reason reasons "
    "recommend recommends recording recordings excerpt excerpts refer refers reflect role said say says similarly "
    "speak speaker speaks specifically state states stress stresses suggest suggests summary talk talks tell "
    "tells told topic underline underlines view",
    "de": "aber alle allem allen aller alles als also am an andere anderen anderer anderes auch auf aus bei beim bis "
    "da dabei dadurch dafür damit dann das dass dazu dem den denn der des deshalb dessen die dies diese diesem "
    "diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwa etwas euch für gegen "
    "gibt hat hatte hatten haben hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja "
    "jede jedem jeden jeder jedes jedoch kann kein keine keinem keinen können könnte man mehr mein mit muss "
    "müssen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit selbst sich sie "
    "sind so sogar solche soll sollte sondern über um und uns unter viel viele vom von vor war waren was weil "
    "welche wenn wer werden wie wieder will wir wird wo wurde wurden zu zum zur zwischen sagt sagte erklärt "
    "erzählt beschreibt betont meint nennt spricht",
    "fr": "à afin ai ainsi alors après au aucun aussi autre autres aux avant avec avoir avait car ce ceci cela celle "
    "celui ces cet cette ceux chaque chez comme comment dans de depuis des deux doit donc du elle elles en encore "
    "entre est et étaient était être eu fait faire faut ici il ils je la le les leur leurs lors lui ma mais me "
    "même mes moi moins mon ne ni non nos notre nous on ont ou où par parce pas peu peut peuvent plus plutôt pour "
    "pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se selon sera ses si soi soit son sont sous "
    "sur ta te tous tout toute toutes très trop tu un une va vers vos votre vous y dit explique raconte décrit "
    "affirme souligne",
    "es": "a al algo algunas algunos ante antes aquí así aún aunque bien cada casi como con contra cual cuando de del "
    "desde donde dos durante e el él ella ellas ellos en entonces entre era eran es esa esas ese eso esos esta "
    "está están estas este esto estos fue fueron ha había hace hacer hacia han hasta hay la las le les lo los más "
    "me menos mi mientras mis mismo misma muy nada ni no nos nosotros o os otra otras otro otros para pero poco "
    "por porque puede pueden pues que qué quien se sea según ser si sí sido sin sino sobre solo son su sus "
    "también tan tanto tiene tienen toda todas todo todos tras tu un una uno unos va y ya yo dice explica cuenta "
    "describe afirma",
    "it": "a ad ai al alla alle allo anche ancora aveva avere c che chi ci ciò come con contro cosa così cui da dal "
    "dalla dalle dei del della delle dello di dopo dove due e è ed era erano essere fa fare fino fra già gli ha "
    "hanno i il in io invece la le lei li lo loro lui ma me mentre mi molto ne nei nel nella nelle no noi non "
    "nostro o ogni ossia per perché però più può poi prima proprio qua quale quando quanto quella quello questa "
    "queste questi questo qui se sé sempre senza si sia solo sono sopra sotto stato su sua sue sugli sui sul "
    "sulla suo suoi tra tutti tutto un una uno va vi voi dice spiega racconta descrive afferma",
    "pt": "a à ao aos as às até cada com como da das de dela dele deles depois do dos e é ela elas ele eles em entre "
    "era eram essa esse esta está este eu foi foram há isso isto já la lhe lo mais mas me mesmo meu minha muito "
    "na não nas nem no nos nós o os ou outra outro para pela pelas pelo pelos per pode podem por porque qual "
    "quando que quem se sem ser seu seus só sob sobre sua suas também tão tem têm todo todos tudo um uma umas uns "
    "vai diz explica conta descreve afirma",
    "nl": "aan al alle alleen als altijd andere bij dan dat de der deze die dit door dus een en er ervan ge geen had "
    "hadden haar hebben heeft hem het hier hij hoe hun ik in is ja je kan kunnen maar meer men met mij mijn moet "
    "moeten na naar niet nog nu of om omdat ons ook op over te tegen toch toen tot u uit uw van veel voor want "
    "waren was wat we wel werd wie wij wil wordt worden zal ze zei zelf zich zij zijn zo zonder zou zegt vertelt "
    "legt noemt",
    "el": "α αλλά αν ανά από αυτά αυτές αυτή αυτής αυτό αυτοί αυτόν αυτός αυτού αυτών για γιατί δεν δηλαδή δύο εάν "
    "είναι είχε είχαν εκεί ένα έναν ένας επειδή επίσης ενώ έτσι έχει έχουν ή η ήταν θα και κάθε κάποια κάποιο "
    "κάποιος κατά κι λοιπόν μα με μέσα μετά μέχρι μη μην μια μία μόνο μου μπορεί να ναι ο οι όμως όπου όπως όσο "
    "όταν ότι ούτε όχι πάνω παρά περίπου πιο πολύ που πού πριν προς πρέπει πως πώς σαν σας σε στα στη στην στις "
    "στο στον στους στου τα τη την της τι τις το τον του τους των τότε υπάρχει υπάρχουν χωρίς ως ώστε λέει εξηγεί "
    "αναφέρει περιγράφει",
}
_SELF = {
    "en": "i i'm i've i'd i'll me my mine myself",
    "de": "ich mich mir mein meine meinem meinen meiner meines",
    "fr": "je j'ai j'étais j'avais moi mon ma mes",
    "es": "yo mi mis mío mía conmigo",
    "it": "io mio mia miei mie",
    "pt": "eu meu minha meus minhas comigo",
    "nl": "ik mij mijn mezelf",
    "el": "εγώ εμένα μου",
}
_FUNCTION_TOKENS = {language: frozenset(tokens(words)) for language, words in _FUNCTION.items()}
_SELF_TOKENS = {language: frozenset(tokens(words)) for language, words in _SELF.items()}


def function_words(language: str) -> frozenset[str]:
    """Folded; none for languages that nobody has written a list for."""
    return _FUNCTION_TOKENS.get(base(language), frozenset())


def self_words(language: str) -> frozenset[str]:
    """ "I" and "my", folded."""
    return _SELF_TOKENS.get(base(language), frozenset())
