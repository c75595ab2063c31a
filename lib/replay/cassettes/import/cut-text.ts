/** Cuts a text into pieces of about equal length, never inside a character. */
export function cutText(text: string, pieceCount: number): string[] {
  const characters = [...text];
  const count = Math.min(pieceCount, characters.length);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * characters.length) / count);
    const to = Math.floor(((index + 1) * characters.length) / count);
    return characters.slice(from, to).join("");
  });
}
