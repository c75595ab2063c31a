import { Composer, type Document, isScalar, Lexer, LineCounter, Parser, type ScalarTag, visit } from "yaml";

/** Most pieces of a document, such as a key, a colon or a line break: 2,000 interactions have about a million. */
const maxPieceCount = 2_000_000;
/** Most collections and values that are open at once. */
const maxDepth = 200;
/** Most values that aliases stand for. */
const maxAliasCount = 10_000;

/** The text is no YAML that can be read for certain. The message names the line. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** A number that JavaScript would write in another way, such as 1.0. */
export class WrittenNumber extends Number {
  constructor(readonly text: string) {
    super(text);
  }

  override toString(): string {
    return this.text;
  }
}

function readNumber(text: string): number | WrittenNumber {
  const number = Number(text);
  const isJson = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text);
  return isJson && String(number) !== text ? new WrittenNumber(text) : number;
}

function plain(name: string, test: RegExp): ScalarTag {
  return { tag: `tag:yaml.org,2002:${name}`, default: true, test, resolve: readNumber };
}

function binary(tag: string): ScalarTag {
  return {
    tag,
    resolve(text, onError) {
      if (!/^[A-Za-z0-9+/\s]*=?\s*=?\s*$/.test(text)) onError("is not valid base64");
      return Buffer.from(text, "base64");
    },
  };
}

/** What PyYAML, Psych and go-yaml write. To them `1e5`, `010` and `0o7` are text, or they quote them. */
const options = {
  schema: "failsafe",
  customTags: [
    "null" as const,
    "bool" as const,
    plain("int", /^[-+]?(?:0|[1-9]\d*)$/),
    plain("float", /^[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?$/),
    binary("tag:yaml.org,2002:binary"),
    binary("!binary"),
    { tag: "!str", resolve: (text: string) => text },
  ],
  stringKeys: true,
  // Compares each key with each other one; below, they are compared in linear time.
  uniqueKeys: false,
};

function* tokensOf(text: string, lines: LineCounter) {
  const pieces: string[] = [];
  for (const piece of new Lexer().lex(text)) {
    if (pieces.push(piece) > maxPieceCount) throw new YamlError(`the document has more than ${maxPieceCount} pieces`);
  }
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const piece of pieces) {
    yield* parser.next(piece);
    if (parser.stack.length > maxDepth) throw new YamlError(`is nested more than ${maxDepth} times`);
  }
  yield* parser.end();
}

/** Returns where a mapping has a key a second time. */
function findDuplicate(document: Document.Parsed): { key: string; at: number } | undefined {
  let found: { key: string; at: number } | undefined;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          found = { key: String(key.value), at: key.range?.[0] ?? 0 };
          return visit.BREAK;
        }
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

/** Reads the YAML that recorders of HTTP write. Throws YamlError. */
export function readYaml(text: string): unknown {
  const lines = new LineCounter();
  const lineOf = (at: number) => `line ${lines.linePos(at).line}`;
  try {
    const [document, second] = [...new Composer(options).compose(tokensOf(text, lines))];
    if (!document) return null;
    if (second) throw new YamlError(`${lineOf(second.range[0])}: is not part of the document before it`);
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new YamlError(`${lineOf(problem.pos[0])}: ${problem.message}`);
    const duplicate = findDuplicate(document);
    if (duplicate) throw new YamlError(`${lineOf(duplicate.at)}: the key "${duplicate.key}" occurs twice`);
    return document.toJS({ maxAliasCount });
  } catch (error) {
    if (error instanceof YamlError) throw error;
    throw new YamlError((error as Error).message, { cause: error });
  }
}
