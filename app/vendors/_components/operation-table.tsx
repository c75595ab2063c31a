import { describeDifference, type OperationChangeItem } from "#lib/tracking/operations/index";
import { Badge, SignificanceBadge } from "../../_components/badge";
import { type Column, DataTable } from "../../_components/data-table";
import { formatDay } from "../../_components/format";
import { Link } from "../../_components/link";

/** Most differences of an operation that are shown. */
const maxShownCount = 5;

/** The changes of operations of an OpenAPI document; with `slug`, each with a link to its diff. */
export function OperationTable({ operations, slug }: { operations: readonly OperationChangeItem[]; slug?: string }) {
  const columns: readonly Column<OperationChangeItem>[] = [
    { title: "Operation", cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
    ...(slug === undefined
      ? []
      : [
          {
            title: "Date",
            cell: ({ diff_id, at }: OperationChangeItem) => (
              <Link href={`/vendors/${slug}/diffs/${diff_id}`}>{formatDay(at)}</Link>
            ),
          },
        ]),
    { title: "Significance", cell: ({ significance }) => <SignificanceBadge significance={significance} /> },
    { title: "Breaking", cell: ({ breaking }) => (breaking ? <Badge>breaking</Badge> : "–") },
    {
      title: "Change",
      cell: ({ change, differences, difference_count: count }) => {
        const shown = differences.slice(0, maxShownCount).map(describeDifference);
        const more = count > shown.length ? [`and ${(count - shown.length).toLocaleString("en")} more`] : [];
        return change === "changed" ? [...shown, ...more].join("; ") : change;
      },
    },
  ];
  const keyOf = ({ method, path, diff_id }: OperationChangeItem) => `${diff_id} ${method} ${path}`;
  return <DataTable caption="Operations" columns={columns} items={operations} keyOf={keyOf} stacks />;
}
