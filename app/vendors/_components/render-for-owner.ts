"use server";

import type { Metadata } from "next";
import type { ReactNode } from "react";
import { verifyKey } from "#lib/accounts/keys/index";
import { AppError } from "#lib/platform/errors";
import { requireVisibleVendor } from "#lib/tracking/vendor-access/index";
import { asCaller, getPageContext } from "../../_components/page-context";
import * as comparePage from "../[slug]/compare/page";
import * as changePage from "../[slug]/diffs/[id]/page";
import * as vendorPage from "../[slug]/page";
import * as versionPage from "../[slug]/snapshots/[id]/page";
import * as versionsPage from "../[slug]/snapshots/page";
import type { RenderedPage } from "./owner-view";

type Params = { slug: string; id: string };
type Props = { params: Promise<Params>; searchParams: Promise<Record<string, string>> };
type Page = { default: (props: Props) => Promise<ReactNode>; generateMetadata: (props: Props) => Promise<Metadata> };

/** The pages below a vendor's, by the first part of their path and whether an id follows. */
const pages: Readonly<Record<string, Page>> = {
  "": vendorPage,
  "snapshots/": versionsPage,
  "snapshots/id": versionPage,
  "diffs/id": changePage,
  "compare/": comparePage,
};

const pathPattern = /^\/vendors\/([a-z0-9-]{1,100})(?:\/(snapshots|diffs|compare)(?:\/([0-9a-f-]{36}))?)?$/;

/**
 * Returns a page of a vendor of the key's account, given its path and query. Null for everything else, whether it exists or
 * not: an unknown key, and a vendor that the key does not see.
 */
export async function renderForOwner(key: string, path: string, query: string): Promise<RenderedPage | null> {
  const [, slug = "", part, id = ""] = pathPattern.exec(path) ?? [];
  const page = pages[part === undefined ? "" : `${part}/${id && "id"}`];
  if (!page) return null;
  const context = await getPageContext();
  try {
    const caller = await verifyKey(context, `Bearer ${key}`);
    await requireVisibleVendor({ database: context.database, caller }, slug);
    const given = new URLSearchParams(query);
    const props = { params: Promise.resolve({ slug, id }), searchParams: Promise.resolve(Object.fromEntries(given)) };
    return await asCaller(caller, async () => {
      const [content, { title }] = [await page.default(props), await page.generateMetadata(props)];
      return { title: String(title), content };
    });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
