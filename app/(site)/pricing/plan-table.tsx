import { type AccountTier, accountTiers, plans } from "#lib/accounts/plans/index";
import { soldTiers } from "#lib/accounts/purchases/index";
import { Button } from "../../_components/button";
import { Link } from "../../_components/link";
import { scrollBox } from "../../_components/scroll-box";
import { ScrollCue } from "../../_components/scroll-cue";
import { buyTier } from "./buy-tier";
import { planFacts, tierName } from "./plan-facts";
import styles from "./plan-table.module.css";

function GetStarted({ tier, isSold }: { tier: AccountTier; isSold: boolean }) {
  if (tier === "free") return <Link href="/docs/quickstart">Start without a key</Link>;
  const sold = soldTiers.find((one) => one === tier);
  if (!sold || !isSold) return <a href="#buying">Ask the operator</a>;
  return (
    <form action={buyTier}>
      <input type="hidden" name="tier" value={sold} />
      <Button type="submit" variant={sold === "starter" ? "primary" : "secondary"}>
        Buy {tierName(sold)}
      </Button>
    </form>
  );
}

/** The tiers, one per row; on narrow screens each row becomes a card. */
export function PlanTable({ isSold }: { isSold: boolean }) {
  const titles = ["Tier", "Price", "Get started", ...planFacts(plans.free).map(({ title }) => title)];
  return (
    <div {...scrollBox("Tiers and what they include")} className={styles.box}>
      <ScrollCue />
      <table className={styles.table}>
        <caption className="visually-hidden">Tiers and what they include</caption>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {accountTiers.map((tier) => (
            <tr key={tier}>
              <th scope="row">{tierName(tier)}</th>
              <td className={styles.price} data-title="Price">
                ${plans[tier].monthlyPriceUsd} <span>per month</span>
              </td>
              <td className={styles.start} data-title="Get started">
                <GetStarted tier={tier} isSold={isSold} />
              </td>
              {planFacts(plans[tier]).map(({ key, title, text }) => (
                <td key={key} data-title={title}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
