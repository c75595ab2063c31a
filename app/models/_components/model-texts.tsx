import { type Model, modelPath } from "#lib/models/index";
import { Badge, StatusBadge } from "../../_components/badge";
import { formatDay } from "../../_components/format";
import { Link } from "../../_components/link";

/** Returns when a model ends, or that it is not known. */
export function formatEnd({ status, retired, retired_not_before: notBefore, may_end: mayEnd }: Model): string {
  if (retired) return formatDay(retired);
  if (notBefore && mayEnd) return `at any time since ${formatDay(notBefore)}`;
  if (notBefore) return `not before ${formatDay(notBefore)}`;
  return { active: "none announced", deprecated: "no day named", retired: "ended", unknown: "not known" }[status];
}

const usd = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 6 });

/** Formats a price in USD, with cents: `$0.40`. */
export function formatUsd(price: number | null | undefined): string {
  return price === null || price === undefined ? "–" : usd.format(price);
}

/** Returns the price of input and output, in USD per million tokens. */
export function formatPrice({ price }: Model): string {
  return price ? `${formatUsd(price.input)} / ${formatUsd(price.output)}` : "not known";
}

/** The status of a model. One that may end at any time does not count as active. */
export function ModelStatusBadge({ model: { status, may_end: mayEnd } }: { model: Model }) {
  return mayEnd && status === "active" ? <Badge tone="warning">may end</Badge> : <StatusBadge status={status} />;
}

function SuccessorLink({ successor }: { successor: Pick<Model, "provider" | "id"> }) {
  return <Link href={modelPath(successor)}>{successor.id}</Link>;
}

/** Links to the model that replaces one. */
export function Successor({ model: { successor } }: { model: Model }) {
  return successor ? <SuccessorLink successor={successor} /> : "none named";
}

/** Links to the models that replace one as its source states them, which may have ended. */
export function StatedSuccessors({ model: { successors } }: { model: Model }) {
  if (successors.length === 0) return "none named";
  return successors.map((successor, index) => (
    <span key={modelPath(successor)}>
      {index > 0 && ", "}
      <SuccessorLink successor={successor} />
    </span>
  ));
}
