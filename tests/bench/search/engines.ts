import { create, insert, search as searchOrama } from "@orama/orama";
import lunr from "lunr";
import MiniSearch, { type SearchOptions } from "minisearch";
import { maxBodyFrequencyOf, weightOf } from "#lib/discovery/search/corpus";
import { expandQuery } from "#lib/discovery/search/expand-query";
import { tokenize } from "#lib/discovery/search/index";
import { TermIndex } from "#lib/discovery/search/ranking/term-index";
import { addFeedback } from "#lib/discovery/search/relevance-feedback";
import type { PlainDocument } from "./judged-set";

/** A search engine under comparison. */
export type Engine = {
  add(document: PlainDocument): void | Promise<void>;
  /** Called once, after the last document. */
  finish(): void;
  /** Ids of the best documents, best first. */
  rank(q: string, limit: number): string[] | Promise<string[]>;
};

/**
 * Weights of words in the title and in the description relative to the body: for each engine the best of 25 pairs from
 * 1 to 5 on every other judged query. Ours were chosen on the same half.
 */
const boosts = { miniSearch: { title: 1.5, lead: 1 }, lunr: { title: 1.5, lead: 2 } };

function tapedeck(): Engine {
  const index = new TermIndex();
  const ids: string[] = [];
  const texts: string[] = [];
  const compare = (a: number, b: number) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1);
  return {
    add({ id, title, lead, body, emphasis = "" }) {
      ids.push(id);
      texts.push(`${title}\n${lead}\n${body}`);
      const options = { weight: weightOf(id), maxBodyFrequency: maxBodyFrequencyOf(id) };
      index.add({ head: `${title}\n${lead}`, body: `${body}${emphasis}`, ...options });
    },
    finish() {},
    rank(q, limit) {
      const terms = addFeedback(q, expandQuery(index, q), {
        rank: (some, count) =>
          index
            .rank({ terms: some, limit: count, compare })
            .map(({ document, score }) => ({ text: texts[document] as string, score })),
        inverseFrequency: (term) => index.inverseFrequency(term),
      });
      return index.rank({ terms, limit, compare }).map(({ document }) => ids[document] as string);
    },
  };
}

/** BM25 by its formula with the usual saturation and length weight, over words without stems, ties by id. */
function plainBm25(): Engine {
  const [k1, b] = [1.2, 0.75];
  const documents: { id: string; counts: Map<string, number>; length: number }[] = [];
  const countsOf = (terms: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    return counts;
  };
  return {
    add({ id, title, lead, body }) {
      const terms = tokenize(`${title} ${lead} ${body}`);
      documents.push({ id, counts: countsOf(terms), length: terms.length });
    },
    finish() {},
    rank(q, limit) {
      const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
      const weights = [...countsOf(tokenize(q))].map(([term, weight]) => {
        const holders = documents.filter(({ counts }) => counts.has(term)).length;
        return { term, weight: weight * Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5)) };
      });
      const scored = documents.map(({ id, counts, length }) => {
        const norm = k1 * (1 - b + (b * length) / averageLength);
        const scoreOf = (frequency: number) => (frequency * (k1 + 1)) / (frequency + norm);
        return {
          id,
          score: weights.reduce((sum, { term, weight }) => sum + weight * scoreOf(counts.get(term) ?? 0), 0),
        };
      });
      const found = scored.filter(({ score }) => score > 0);
      found.sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1));
      return found.slice(0, limit).map(({ id }) => id);
    },
  };
}

function miniSearch(searchOptions: SearchOptions): Engine {
  const index = new MiniSearch<PlainDocument>({ fields: ["title", "lead", "body"], searchOptions });
  return {
    add: (document) => index.add(document),
    finish() {},
    rank: (q, limit) =>
      index
        .search(q)
        .slice(0, limit)
        .map(({ id }) => String(id)),
  };
}

function orama(): Engine {
  const index = create({ schema: { title: "string", lead: "string", body: "string" } as const });
  return {
    async add(document) {
      await insert(index, document);
    },
    finish() {},
    async rank(term, limit) {
      const { hits } = await searchOrama(index, { term, limit });
      return hits.map(({ id }) => id);
    },
  };
}

function lunrEngine(weights: { title: number; lead: number }): Engine {
  const builder = new lunr.Builder();
  builder.pipeline.add(lunr.trimmer, lunr.stopWordFilter, lunr.stemmer);
  builder.searchPipeline.add(lunr.stemmer);
  builder.ref("id");
  builder.field("title", { boost: weights.title });
  builder.field("lead", { boost: weights.lead });
  builder.field("body");
  let index: lunr.Index | undefined;
  return {
    add: (document) => builder.add(document),
    finish() {
      index = builder.build();
    },
    rank(q, limit) {
      // Only the words, because its query language uses colons and hyphens as operators.
      const words = q.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? [];
      const found = index?.query((query) => {
        for (const word of words) query.term(word, {});
      });
      return (found ?? []).slice(0, limit).map(({ ref }) => ref);
    },
  };
}

/** Each engine with its defaults, and two with weights for fields, which improve their results. */
export const engines = {
  tapedeck,
  "plain BM25": plainBm25,
  MiniSearch: () => miniSearch({}),
  "MiniSearch, fields weighted": () => miniSearch({ boost: boosts.miniSearch }),
  Orama: orama,
  lunr: () => lunrEngine({ title: 1, lead: 1 }),
  "lunr, fields weighted": () => lunrEngine(boosts.lunr),
} satisfies Record<string, () => Engine>;
export type EngineName = keyof typeof engines;
