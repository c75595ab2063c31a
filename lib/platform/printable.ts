/** Returns the text on one line, with control characters replaced by spaces, so that it cannot control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, " ");
}

/** Returns the text without control characters other than line ends and tabs. */
export function printableLines(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, "");
}
