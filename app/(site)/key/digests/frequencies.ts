/** The frequencies of the API, and how pages name them. */
export const frequencies = [
  ["each", "soon after each change"],
  ["daily", "daily at 07:00 UTC"],
  ["weekly", "on Mondays at 07:00 UTC"],
] as const;
