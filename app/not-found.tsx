import type { Metadata } from "next";
import { headers } from "next/headers";
import { pathHeader } from "#lib/server/http/page-headers";
import { NothingHere } from "./_components/nothing-here";

export const metadata: Metadata = { title: "Nothing stands here" };

export default async function NotFound() {
  return <NothingHere path={(await headers()).get(pathHeader) ?? "/"} />;
}
