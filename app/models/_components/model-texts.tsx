import { type Model, modelPath } from "#lib/models/index";
import { formatDay } from "../../_components/format";
import { Link } from "../../_components/link";

/** Returns when a model ends, or that it is not known. */
export function formatEnd({ status, retired, retired_not_before: notBefore }: Model): string {
  if (retired) return formatDay(retired);
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

/** Links to the models that replace one. */
export function Successors({ model }: { model: Pick<Model, "successors"> }) {
  if (model.successors.length === 0) return "none named";
  return model.successors.map((successor, index) => (
    <span key={modelPath(successor)}>
      {index > 0 && ", "}
      <Link href={modelPath(successor)}>{successor.id}</Link>
    </span>
  ));
}
