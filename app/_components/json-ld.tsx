type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** JSON without `<`, so that it cannot close its script element. */
function scriptText(data: Json): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

/** Structured data about a page (JSON-LD). Browsers do not execute it. */
export function JsonLd({ data }: { data: { readonly [key: string]: Json | undefined } }) {
  return <script type="application/ld+json">{scriptText({ "@context": "https://schema.org", ...data })}</script>;
}
