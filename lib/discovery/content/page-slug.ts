/** Returns the slug of the page in a file, which is given by its path below content/docs. */
export function pageSlug(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/\.md$/, "")
    .replace(/(^|\/)index$/, "");
}
