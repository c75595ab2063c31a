import type { Vertical } from "#lib/replay/cassettes/index";

/** What a site is, apart from its address, which depends on where it runs. */
export type Site = { slug: string; vertical: Vertical; display_name: string; tagline: string };

/** The family. The first one is the default, served where no other is named. */
export const sites: readonly [Site, ...Site[]] = [
  {
    slug: "developer-tools",
    vertical: "developer-tools",
    display_name: "Tapedeck Developer Tools",
    tagline: "LLM response replays for people who build with code.",
  },
  {
    slug: "legal",
    vertical: "legal",
    display_name: "Tapedeck Legal",
    tagline: "LLM response replays on contracts, clauses and duties.",
  },
  {
    slug: "finance",
    vertical: "finance",
    display_name: "Tapedeck Finance",
    tagline: "LLM response replays on statements, risk and cash.",
  },
  {
    slug: "small-business",
    vertical: "small-business",
    display_name: "Tapedeck Small Business",
    tagline: "LLM response replays for shops, studios and crews.",
  },
];
