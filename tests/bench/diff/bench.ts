import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { diffArrays } from "diff";
import { compareTexts } from "#lib/tracking/diffs/index";
import { count, defineBench, format, median, ratio, takeTurns } from "../harness";
import { inputMakers } from "./inputs";

/** Time after which a peer is stopped. */
const peerTimeoutMs = 10_000;

/** Null if the peer was stopped. `isExact` says that no shorter comparison exists; undefined if the peer does not know. */
type Found = { linesAdded: number; linesRemoved: number; isExact?: boolean } | null;
type Peer = { name: string; compare: (before: string, after: string, folder: string) => Found };

const splitAtFeeds = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const peers: readonly Peer[] = [
  {
    name: "tapedeck",
    compare: (before, after) => {
      const { linesAdded, linesRemoved, exact } = compareTexts(before, after);
      return { linesAdded, linesRemoved, isExact: exact };
    },
  },
  {
    name: "jsdiff over lines",
    compare: (before, after) => {
      const changes = diffArrays(splitAtFeeds(before), splitAtFeeds(after), { timeout: peerTimeoutMs });
      if (!changes) return null;
      const sum = (kind: "added" | "removed") =>
        changes.filter((change) => change[kind]).reduce((total, change) => total + change.count, 0);
      return { linesAdded: sum("added"), linesRemoved: sum("removed"), isExact: true };
    },
  },
  {
    name: "GNU diff",
    // Its start and the reading of its output are included.
    compare: (_before, _after, folder) => {
      const files = ["before", "after"].map((name) => join(folder, name));
      const options = { encoding: "latin1", maxBuffer: 1024 ** 3, timeout: peerTimeoutMs } as const;
      const { stdout, signal, error } = spawnSync("diff", ["--text", "-U3", ...files], options);
      if (signal || error) return null;
      const body = stdout.slice(stdout.indexOf("\n@@") + 1);
      let [linesAdded, linesRemoved] = [0, 0];
      for (let at = 0; at >= 0 && at < body.length; at = body.indexOf("\n", at) + 1 || -1) {
        if (body[at] === "+") linesAdded++;
        else if (body[at] === "-") linesRemoved++;
      }
      return { linesAdded, linesRemoved };
    },
  },
];

export const bench = defineBench({
  about: `Comparing two texts with \`compareTexts\` (lines, moved blocks, links and the written diff), with jsdiff (the lines alone) and with GNU
diff, on typical versions of files and on texts designed to be slow. A peer is stopped after ${peerTimeoutMs / 1_000} seconds and not run again.`,
  options: { runs: { default: 5, quick: 1, min: 1, max: 20, about: "runs of each peer on each input" } },
  async run({ runs }, { say, makeFolder, isQuick }) {
    const folder = await makeFolder();
    const hasDiff = spawnSync("diff", ["--version"]).error === undefined;
    if (!hasDiff) say("GNU diff is not installed: left out");
    const available = peers.filter(({ name }) => hasDiff || name !== "GNU diff");
    const results: { input: string; peer: string; ms: number | null; found: Found }[] = [];
    for (const makeInput of isQuick ? inputMakers.slice(0, 2) : inputMakers) {
      const { name: input, before, after } = makeInput();
      writeFileSync(join(folder, "before"), before);
      writeFileSync(join(folder, "after"), after);
      const stopped = new Set<Peer>();
      const measured = await takeTurns(available, runs, async (peer) => {
        if (stopped.has(peer)) return { ms: Number.NaN, found: null };
        globalThis.gc?.();
        const startMs = performance.now();
        const found = peer.compare(before, after, folder);
        if (found === null) stopped.add(peer);
        return { ms: performance.now() - startMs, found };
      });
      for (const [index, peer] of available.entries()) {
        const ms = stopped.has(peer) ? null : median(measured[index]!.map((each) => each.ms));
        results.push({ input, peer: peer.name, ms, found: measured[index]![0]!.found });
        say(`${input}, ${peer.name}: ${ms === null ? "stopped" : `${format(ms)} ms`}`);
      }
    }
    const rows = results.map(({ input, peer, ms, found }) => {
      const ownMs = results.find((other) => other.input === input && other.peer === "tapedeck")?.ms ?? Number.NaN;
      return [
        ...[input, peer, ms === null ? `over ${count(peerTimeoutMs)}` : format(ms)],
        ms === null ? `over ${ratio(peerTimeoutMs, ownMs)}` : ratio(ms, ownMs),
        found === null ? "–" : `+${count(found.linesAdded)} −${count(found.linesRemoved)}`,
        found?.isExact === undefined ? "–" : found.isExact ? "yes" : "no",
      ];
    });
    return {
      tables: [{ head: ["Input", "Program", "Median ms", "÷ Tapedeck", "Lines", "Exact"], rows }],
      results: { results },
    };
  },
});
