import { dirname, relative, resolve, sep } from "node:path";
import type { ModelCatalogue } from "#lib/models/index";
import type { TapeConfig } from "#lib/replay/recording-proxy/index";
import type { Finding, Findings } from "./findings";

type Exception = TapeConfig["keep_models"][number];

/** Whether a name matches a pattern, in which `*` stands for any part. A regular expression can take hours for some. */
function matches(pattern: string, name: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined || !name.startsWith(first)) return name === pattern;
  let end = first.length;
  for (const part of parts) {
    const start = name.indexOf(part, end);
    if (start < 0) return false;
    end = start + part.length;
  }
  return name.length - last.length >= end && name.endsWith(last);
}

/** Returns the names of each use of a finding that an exception can be limited to. */
function placesOf({ tests, code }: Finding, root: string): string[][] {
  return [
    ...tests.map(({ test }) => [test, test.split(/ > |::/)[0] ?? test]),
    ...code.map(({ file }) => [relative(root, resolve(file)).split(sep).join("/")]),
  ];
}

/**
 * Returns findings with the exceptions of the configuration. One is kept if unexpired exceptions cover each of its uses.
 * `unused`: exceptions under which nothing falls.
 */
export function keepModels(
  { models, headers, ...findings }: Findings,
  { keep_models: exceptions, file }: Pick<TapeConfig, "keep_models" | "file">,
  catalogue: ModelCatalogue,
  today: string,
): Findings & { unused: Exception[] } {
  const root = file === null ? process.cwd() : dirname(file);
  const used = new Set<Exception>();
  const kept = models.map((finding): Finding => {
    const places = placesOf(finding, root);
    const open = new Set(places);
    const found = exceptions.flatMap((exception): Finding["kept"] => {
      const { model, in: place = "*", until } = exception;
      const meant = catalogue.find(model);
      const isNamed = finding.names.some((name) => name === model || name.startsWith(`${model} (`));
      if (!isNamed && !(meant && meant.id === finding.id && meant.provider === finding.provider)) return [];
      const covered = places.filter((each) => each.some((name) => matches(place, name)));
      if (covered.length === 0) return [];
      used.add(exception);
      const expired = until !== undefined && until < today;
      if (!expired) for (const each of covered) open.delete(each);
      return [{ ...exception, expired }];
    });
    return { ...finding, kept: found, is_kept: open.size === 0 && places.length > 0 };
  });
  const isKept = (model: string | null) => kept.some(({ is_kept: is, names: all }) => is && all.includes(model ?? ""));
  return {
    ...findings,
    models: kept,
    headers: headers.map((each) => ({ ...each, is_kept: isKept(each.model) })),
    unused: exceptions.filter((exception) => !used.has(exception)),
  };
}

/** Returns where and until when an exception counts. */
export const exceptionText = ({ in: place, until }: Exception): string =>
  `${place === undefined ? "" : ` in ${place}`}${until === undefined ? "" : ` until ${until}`}`;

/** Returns the exceptions of a finding, each with its reason. */
export const keptTexts = ({ kept }: Finding): string[] =>
  kept.map((each) => {
    const text = `kept${exceptionText(each)}`;
    return `${each.expired ? `no longer ${text}, the exception has expired` : text}: ${each.reason}`;
  });
