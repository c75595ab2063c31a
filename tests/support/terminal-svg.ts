/** Draws text in a terminal window as an SVG, for the README. The window is dark on light and dark pages. */

export const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export type TerminalPicture = {
  title: string;
  width: number;
  height: number;
  /** Styles besides those of the text. */
  css: string;
  /** `text` elements; class `c` is dimmed, class `p` has the accent colour. */
  body: string;
};

export function terminalSvg({ title, width, height, css, body }: TerminalPicture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<style>text{font:13px "IBM Plex Mono",ui-monospace,Menlo,Consolas,monospace;fill:#F1EDE3}.c{fill:#A39C8C}.p{fill:#FF7A50}${css}</style>
<rect width="${width}" height="${height}" rx="8" fill="#12110E"/>
<path d="M20 24V16M26 24V10M32 24v-6M44 24V14M50 24V11" stroke="#A39C8C" stroke-width="2"/><path d="M38 24V8" stroke="#FF7A50" stroke-width="2"/>
${body}
</svg>
`;
}
