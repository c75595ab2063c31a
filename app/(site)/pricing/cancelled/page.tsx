import type { Metadata } from "next";
import Link from "next/link";

export const metadata: Metadata = { title: "Nothing was bought", robots: { index: false, follow: false } };

export default function CancelledPage() {
  return (
    <section className="hero">
      <h1>Nothing was bought.</h1>
      <p className="lead">You left the payment before it was made. You can begin again at any time.</p>
      <p>
        <Link className="button" href="/docs/keys-and-tiers">
          See the tiers
        </Link>
      </p>
    </section>
  );
}
