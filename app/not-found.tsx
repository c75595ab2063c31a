import Link from "next/link";

export default function NotFound() {
  return (
    <section className="hero">
      <h1>Nothing stands here.</h1>
      <p className="lead">The address may be old or mistyped.</p>
      <p>
        <Link className="button" href="/docs">
          Read the docs
        </Link>
      </p>
    </section>
  );
}
