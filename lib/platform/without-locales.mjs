/** For esbuild: leaves out zod's messages in languages other than English, which take longer to load than all the rest. */
export const withoutLocales = {
  name: "without-locales",
  setup: ({ onLoad }) => onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({ contents: "" })),
};
