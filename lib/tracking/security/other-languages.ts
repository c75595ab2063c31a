import { setOf } from "./words";

/** Override rules for five languages in Latin letters. Words have no accents, as `tokensOf` returns them. */
type Language = {
  /** Imperatives of "ignore", "forget", "do not follow". */
  verbs: string;
  /** Infinitives, which count after one of `modals`. */
  infinitives: string;
  modals: string;
  /** Words for instructions. */
  orders: string;
  /** Words for rules, which documentation uses for other things as well. */
  rules: string;
  /** "previous", "above", "system", "user", "received", "told": makes orders or rules those of a model. */
  earlier: string;
  /** "all", "your": enough beside words for instructions. */
  all: string;
  /** "if", "when": makes the sentence harmless. */
  conditions: string;
  /** Imperatives of "show". */
  shows: string;
  /** "your" before the prompt. */
  yours: string;
};

const languages: readonly Language[] = [
  {
    verbs: `ignora ignore ignoren ignorad ignores olvida olvide olviden olvidate olvidese descarta descarte desestima
      desestime desobedece desobedezca hazcasoomiso nosigas nohagascaso omite anula`,
    infinitives: "ignorar olvidar descartar desobedecer",
    modals: "debes debe tienes deberias hay",
    orders:
      "instruccion instrucciones orden ordenes indicaciones directrices directivas comandos mensajes dicho dijeron prompt",
    rules: "regla reglas normas pautas peticion solicitud restricciones",
    earlier: `anterior anteriores previa previas previo previos antes arriba sistema usuario usuaria desarrollador recibiste
      recibidas recibido recibio dieron dadas dicho dijeron precedentes ahora programador`,
    all: "todas todos todo tus sus cualquier",
    conditions: "si cuando",
    shows: "muestra muestrame revela revelame imprime escribe repite dime ensename",
    yours: "tu su",
  },
  {
    verbs: `ignoriere ignoriert ignorieren vergiss vergesst vergessen missachte missachten beachte befolgenicht verwirf
      verwerfen ubergehe`,
    infinitives: "ignorieren vergessen missachten verwerfen",
    modals: "sollst musst sollten mussen sollen darfst bitte",
    orders:
      "anweisung anweisungen instruktionen befehle vorgaben anordnungen direktiven aufforderungen gesagt prompt prompts",
    rules: "regeln richtlinien leitlinien beschrankungen einschrankungen",
    earlier: `vorherigen vorherige vorigen bisherigen bisherige fruheren obigen obige oben vorher bisher zuvor systems system
      nutzers benutzers nutzer entwicklers entwickler bekommen erhalten gegeben gesagt`,
    all: "alle allen samtliche deine deiner ihre jegliche",
    conditions: "wenn falls sofern",
    shows: "zeige zeig nenne verrate gib drucke wiederhole schreibe enthulle",
    yours: "dein deine deinen deiner ihren den",
  },
  {
    verbs: "ignore ignorez oublie oubliez nesuispas meprise negligez neglige desobeis abandonne",
    infinitives: "ignorer oublier negliger",
    modals: "dois devez faut peux pouvez veuillez",
    orders: "instruction instructions consigne consignes ordres directives commandes indications dit prompt demande",
    rules: "regle regles contraintes restrictions",
    earlier: `ci-dessus precedente precedentes precedents precedent anterieures anterieurs dessus haut avant systeme utilisateur
      developpeur recues recu donnees dit present prealables`,
    all: "toutes tous tout tes vos ton",
    conditions: "si lorsque quand",
    shows: "affiche affichez montre montrez revele revelez imprime repete repetez donne ecris",
    yours: "ton tes votre vos",
  },
  {
    verbs: `ignore ignora ignorem esqueca esquece esquecam desconsidere desconsidera desobedeca desobedece descarte descarta
      naosiga abandone`,
    infinitives: "ignorar esquecer desconsiderar descartar",
    modals: "deve deves precisa precisas devera",
    orders: "instrucao instrucoes ordens orientacoes diretrizes comandos indicacoes disseram dito prompt",
    rules: "regras normas restricoes pedido",
    earlier: `anteriores anterior previas previos acima antes sistema usuario utilizador desenvolvedor recebeu recebeste
      recebidas dadas disseram dito agora`,
    all: "todas todos tudo suas tuas quaisquer",
    conditions: "se quando caso",
    shows: "mostre mostra revele revela imprima exiba repita escreva diga",
    yours: "seu teu sua tua o",
  },
  {
    verbs: `ignora ignorate ignori dimentica dimenticate dimentichi trascura trascurate nonseguire disobbedisci scarta tralascia
      annulla`,
    infinitives: "ignorare dimenticare trascurare",
    modals: "devi deve dovete dovresti",
    orders: "istruzione istruzioni ordini direttive indicazioni comandi consegne detto prompt richiesta",
    rules: "regole norme linee restrizioni vincoli",
    earlier: `precedenti precedente sopra prima sistema utente sviluppatore ricevute ricevuto ricevuti finora date detto anteriori`,
    all: "tutte tutti tutto tue vostre",
    conditions: "se quando",
    shows: "mostra mostrami rivela rivelami stampa scrivi ripeti dimmi",
    yours: "tuo tue vostro il",
  },
];

const parsed = languages.map((language) => ({
  verbs: setOf(language.verbs),
  infinitives: setOf(language.infinitives),
  modals: setOf(language.modals),
  orders: setOf(language.orders),
  rules: setOf(language.rules),
  earlier: setOf(language.earlier),
  all: setOf(language.all),
  conditions: setOf(language.conditions),
  shows: setOf(language.shows),
  yours: setOf(language.yours),
}));
type Parsed = (typeof parsed)[number];

const byVerb = new Map<string, Parsed[]>();
for (const language of parsed) {
  for (const verb of new Set([...language.verbs, ...language.infinitives, ...language.shows])) {
    byVerb.set(verb, [...(byVerb.get(verb) ?? []), language]);
  }
}

/** Most words between a verb and its objects. */
const reach = 9;
const systems = setOf("sistema systems system systeme");
const systemPrompts = setOf("systemprompt systemprompts systemanweisungen systemnachricht");
/** "Everything above": what follows the verb, what must follow that, and what ends the phrase shortly after. */
const everything = setOf("todo tudo tout tutto alles");
const preceding =
  setOf(`anterior precede precedente oben vorher zuvor bisher vorige obige arriba antes acima dessus avant sopra
  prima vorangegangene vorangehende`);
const ends = setOf(". , y e et und");
const [precedingReach, endReach] = [6, 2];
const articles = setOf("la le les l el los il lo gli a o as os den der die das dem");

/** Whether "everything above" follows the verb at `at`. */
function meansEverythingAbove(tokens: readonly string[], at: number): boolean {
  if (!everything.has(tokens[at + 1] ?? "")) return false;
  const place = tokens.slice(at + 2, at + 2 + precedingReach).findIndex((word) => preceding.has(word));
  const after = at + 3 + place;
  return (
    place >= 0 &&
    !articles.has(tokens[after] ?? "") &&
    tokens.slice(after, after + endReach).some((word) => ends.has(word))
  );
}

/** "about", as in "ignore the previous instructions about Webpack". */
const topics = setOf("sobre acerca zu zum zur uber bezuglich concernant relatives propos riguardo riguardanti circa");

/** Whether a topic limits the instructions that a verb concerns, and it is not the model itself. */
function isAboutTopic({ orders, earlier, yours }: Parsed, tokens: readonly string[], at: number): boolean {
  const order = tokens.findIndex((word, index) => index > at && index <= at + reach && orders.has(word));
  const topic = tokens.findIndex((word, index) => index > order && index <= order + 2 && topics.has(word));
  if (order < 0 || topic < 0) return false;
  return !tokens.slice(topic + 1, topic + 5).some((word) => orders.has(word) || earlier.has(word) || yours.has(word));
}

/** Needed beside the German verb `beachten`: "beachte die Regeln nicht mehr". */
const negations = setOf("nicht nie niemals");

function matchVerb(language: Parsed, tokens: readonly string[], at: number, isClauseStart: boolean) {
  const around = tokens.slice(Math.max(0, at - reach), at + reach + 1);
  const has = (words: ReadonlySet<string>) => around.some((word) => words.has(word));
  const verb = tokens[at]!;
  if (language.shows.has(verb) && isClauseStart) {
    const isPrompt = around.includes("prompt") || around.includes("prompts");
    if (has(language.yours) && (has(systemPrompts) || (isPrompt && has(systems)))) return "prompt-exfiltration";
  }
  const isImperative = language.verbs.has(verb) && isClauseStart;
  const isDemanded = language.infinitives.has(verb) && has(language.modals);
  if (!isImperative && !isDemanded) return undefined;
  if (verb === "beachte" && !has(negations)) return undefined;
  if (tokens.some((word) => language.conditions.has(word))) return undefined;
  if (isImperative && meansEverythingAbove(tokens, at)) return "instruction-override";
  const orderCount = around.filter((word) => language.orders.has(word)).length;
  const earlierCount = around.filter((word) => language.earlier.has(word)).length;
  if (!has(language.all) && isAboutTopic(language, tokens, at)) return undefined;
  const isOrder = orderCount > 0 && (has(language.all) || earlierCount > 0);
  return isOrder || (has(language.rules) && earlierCount > 0) ? "instruction-override" : undefined;
}

/**
 * Returns the detector of an override or of a request for the prompt in Spanish, German, French, Portuguese or Italian, of
 * which `tokens[at]` is the verb.
 */
export function matchLatinLanguage(
  tokens: readonly string[],
  at: number,
  isClauseStart: () => boolean,
): "instruction-override" | "prompt-exfiltration" | undefined {
  const candidates = byVerb.get(tokens[at]!);
  if (!candidates) return undefined;
  for (const language of candidates) {
    const detector = matchVerb(language, tokens, at, isClauseStart());
    if (detector) return detector;
  }
  return undefined;
}
