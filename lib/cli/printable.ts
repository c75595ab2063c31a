/** A text of somebody else's on one line: nothing in it may steer the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, " ");
}
