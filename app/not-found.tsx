import type { Metadata } from "next";

export { NotFoundContent as default } from "./_components/load-failure";

export const metadata: Metadata = { title: "Page not found" };
