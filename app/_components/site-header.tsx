import Link from "next/link";

export function SiteHeader({ name }: { name: string }) {
  return (
    <header className="site-header">
      <Link className="brand" href="/">
        <svg aria-hidden="true" viewBox="0 0 28 16" width="28" height="16">
          <path d="M1 15V8M5 15V3M9 15v-5M13 15V1M17 15V9M21 15V5M25 15v-3" stroke="currentColor" strokeWidth="2" />
          <path d="M13 15V1" stroke="var(--signal)" strokeWidth="2" />
        </svg>
        {name}
      </Link>
      <nav aria-label="Site">
        <Link href="/docs">Docs</Link>
        <a href="/openapi.json">OpenAPI</a>
        <a href="/llms.txt">llms.txt</a>
      </nav>
    </header>
  );
}
