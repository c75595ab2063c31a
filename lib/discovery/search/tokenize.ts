/** Words too common to tell documents apart. */
const stopwords = new Set(
  `a an and are as at be been but by can could did do does for from had has have how i if in into is it its just like me my
  no not of on or our please shall she should so some such than that the their them then there these they this those to
  too up us was we were what when where which who whom why will with would you your`.split(/\s+/),
);

/** Lower-case words of `a-z0-9` longer than one character, stopwords removed, in order. */
export function tokenize(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
  return words.filter((word) => !stopwords.has(word));
}
