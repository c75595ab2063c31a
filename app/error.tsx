"use client";

export default function ErrorPage({ reset }: { reset: () => void }) {
  return (
    <section className="hero">
      <h1>This page failed.</h1>
      <p className="lead">The failure is logged. Trying again often helps.</p>
      <p>
        <button className="button" type="button" onClick={reset}>
          Try again
        </button>
      </p>
    </section>
  );
}
