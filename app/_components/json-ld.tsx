type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A text within a script element cannot end it: no `<` stands in it. */
function scriptText(data: Json): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

/** What a page is about, for machines. It is data that no browser runs. */
export function JsonLd({ data }: { data: { readonly [key: string]: Json | undefined } }) {
  return <script type="application/ld+json">{scriptText({ "@context": "https://schema.org", ...data })}</script>;
}
