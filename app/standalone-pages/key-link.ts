import { getKeyLink, issueKey, type LinkedAccount } from "#lib/accounts/key-mail/index";
import { contractTier } from "#lib/accounts/plans/index";
import { escapeMarkup } from "#lib/platform/escape-markup";
import type { Reply } from "#lib/server/http/reply";
import type { ProductContext } from "#lib/server/products";
import { answerWithPage, keyPage, lead, type StandalonePage } from "./standalone-page";

const footer = { href: "/key", label: "Manage your key" };

function describeAccount({ tier, createdAt, lastFour }: LinkedAccount): string {
  const key = lastFour === null ? "" : `, latest key …${escapeMarkup(lastFour)}`;
  return `${escapeMarkup(tier)}, since ${createdAt.toISOString().slice(0, 10)}${key}`;
}

/** The choice between the accounts of a mailbox. */
function choiceOf(accounts: readonly LinkedAccount[]): string {
  const options = accounts.map(
    (account, index) =>
      `<label><input type="radio" name="account" value="${account.id}"${index === 0 ? " checked" : ""}> ${describeAccount(account)}</label>`,
  );
  return `<fieldset><legend>Accounts of this address</legend>${options.join("")}</fieldset>`;
}

/** The page that asks whether to issue a key. */
function askPage(accounts: readonly LinkedAccount[], token: string): StandalonePage {
  const [first, ...others] = accounts;
  const url = `/api/v1/keys/mail/link?token=${encodeURIComponent(token)}`;
  const what = first
    ? `You get a new key of your account${others.length > 0 ? "" : ` (${describeAccount(first)})`}. Its tier stays.`
    : "This address has no account yet. You get a key of the free tier.";
  const choices = [
    ...(others.length > 0 ? [choiceOf(accounts)] : []),
    ...(first
      ? ['<label><input type="checkbox" name="keep_keys"> Keep the older keys of the account working</label>']
      : []),
  ];
  const content = `${lead(what)}
<form method="post" action="${escapeMarkup(url)}">${choices.join("")}<button type="submit">Show my key</button></form>
<p>The key is shown once${first ? ", and the older ones stop working at once unless you keep them" : ""}. If you did not ask for this, close the page: nothing changes.</p>`;
  return { title: "Get your key", content, footer };
}

type Input = { query: { token: string } };

export function showKeyLink(context: ProductContext, input: Input): Promise<Reply> {
  return answerWithPage(context, footer, async () => {
    const { accounts } = await getKeyLink(context, input);
    return askPage(accounts, input.query.token);
  });
}

export function answerIssue(context: ProductContext, input: Input & { rawBody: Uint8Array }): Promise<Reply> {
  return answerWithPage(context, footer, async () => {
    const { key, stored } = await issueKey(context, input);
    return keyPage({ api_key: key, tier: contractTier(stored.account.tier) }, footer);
  });
}
