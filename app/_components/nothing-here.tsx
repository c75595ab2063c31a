import { Fragment } from "react";
import { ButtonLink } from "./button";
import { PageHeader } from "./page-header";

type Words = { title: string; lead: string; doors: [href: string, label: string][] };

const cassetteWords: Words = {
  title: "There is no such cassette.",
  lead: "It may have another slug, or belong to another vertical.",
  doors: [["/replay?vertical=all", "All cassettes"]],
};

const vendorWords: Words = {
  title: "There is no such vendor or change.",
  lead: "The address may be old or mistyped.",
  doors: [["/vendors", "All vendors"]],
};

const docsWords: Words = {
  title: "There is no such page in the docs.",
  lead: "The address may be old or mistyped.",
  doors: [
    ["/docs", "All docs"],
    ["/docs/search-results", "Search"],
  ],
};

const otherWords: Words = {
  title: "Nothing stands here.",
  lead: "The address may be old or mistyped. These doors are open:",
  doors: [
    ["/replay", "Replay"],
    ["/docs", "Docs"],
    ["/vendors", "Vendors"],
  ],
};

const wordsBelow: [folder: string, words: Words][] = [
  ["/replay/", cassetteWords],
  ["/vendors/", vendorWords],
  ["/docs/", docsWords],
];

function wordsOf(path: string): Words {
  return wordsBelow.find(([folder]) => path.startsWith(folder))?.[1] ?? otherWords;
}

/** What a page says of an address that names nothing. */
export function NothingHere({ path }: { path: string }) {
  const { title, lead, doors } = wordsOf(path);
  return (
    <PageHeader title={title} lead={lead}>
      <p>
        {doors.map(([href, label], index) => (
          <Fragment key={href}>
            <ButtonLink href={href} variant={index === 0 ? "primary" : "secondary"}>
              {label}
            </ButtonLink>{" "}
          </Fragment>
        ))}
      </p>
    </PageHeader>
  );
}
