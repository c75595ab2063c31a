/** The rooms of the site, in the header's order. */
export const siteLinks = [
  { href: "/replay", text: "Replay" },
  { href: "/vendors", text: "Vendors" },
  { href: "/docs", text: "Docs" },
  { href: "/pricing", text: "Pricing" },
  { href: "/status", text: "Status" },
] as const;
