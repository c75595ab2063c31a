import type { Metadata } from "next";
import { headers } from "next/headers";
import { pathHeader } from "#lib/server/http/page-headers";
import { NotFoundContent } from "./_components/not-found-content";

export const metadata: Metadata = { title: "Page not found" };

export default async function NotFound() {
  return <NotFoundContent path={(await headers()).get(pathHeader) ?? "/"} />;
}
