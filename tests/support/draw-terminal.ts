import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseCassette } from "#lib/replay/cassettes/index";
import { readEvents } from "#lib/replay/providers/index";
import { escapeXml, terminalSvg } from "./terminal-svg";

/**
 * Draws public/readme/terminal.svg, the README's animation: a cassette's first lines arriving in a terminal, each delta
 * at its recorded time. Run it with `npx tsx tests/support/draw-terminal.ts`.
 */
const root = resolve(import.meta.dirname, "../..");
const columns = 92;
const rows = 17;
const charWidth = 7.83;
const lineHeight = 19;
const left = 20;
const top = 78;
const holdS = 4;

type Piece = { text: string; column: number; row: number; atS: number };

function layOut(deltas: { text: string; atMs: number }[]): Piece[] {
  const pieces: Piece[] = [];
  let column = 0;
  let row = 0;
  for (const { text, atMs } of deltas) {
    for (const word of text.split(/(\n| )/).filter(Boolean)) {
      if (word === "\n" || column + word.length > columns) {
        row += 1;
        column = 0;
      }
      if (row >= rows) return pieces;
      if (word === "\n" || (word === " " && column === 0)) continue;
      if (word !== " ") pieces.push({ text: word, column, row, atS: atMs / 1000 });
      column += word.length;
    }
  }
  return pieces;
}

const { chunks } = parseCassette(readFileSync(resolve(root, "content/cassettes/developer-tools/explain-sse.json")));
const deltas = readEvents(chunks, "sse").flatMap(({ json, atMs }) => {
  const delta = json?.delta as { text?: string } | undefined;
  return delta?.text ? [{ text: delta.text, atMs }] : [];
});
const pieces = layOut(deltas);
const totalS = Math.max(...pieces.map(({ atS }) => atS)) + holdS;
const place = ({ column, row }: Piece) => `x="${(left + column * charWidth).toFixed(1)}" y="${top + row * lineHeight}"`;
const times = [...new Set(pieces.map(({ atS }) => atS))];
const groups = times.map((atS) => {
  const share = ((atS / totalS) * 100).toFixed(2);
  const name = `t${share.replace(".", "_")}`;
  const words = pieces
    .filter((piece) => piece.atS === atS)
    .map((piece) => `<tspan ${place(piece)}>${escapeXml(piece.text)}</tspan>`);
  return {
    css: `@keyframes ${name}{0%,${share}%{opacity:0}${(Number(share) + 0.01).toFixed(2)}%,100%{opacity:1}}.${name}{animation:${name} ${totalS.toFixed(1)}s infinite}`,
    text: `<text class="${name}">${words.join("")}</text>`,
  };
});
const width = Math.ceil(left * 2 + columns * charWidth);
const height = top + rows * lineHeight + 6;
writeFileSync(
  resolve(root, "public/readme/terminal.svg"),
  terminalSvg({
    title: "A replayed response streaming into a terminal",
    width,
    height,
    css: `@media (prefers-reduced-motion:no-preference){${groups.map(({ css }) => css).join("")}}`,
    body: `<text x="20" y="52" class="c"><tspan class="p">$</tspan> npm run -s tapedeck -- cassettes play developer-tools/explain-sse</text>
${groups.map(({ text }) => text).join("\n")}`,
  }),
);
