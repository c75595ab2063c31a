import { AppError } from "#lib/platform/errors";
import { escapeMarkup } from "#lib/platform/escape-markup";
import type { RequestContext } from "#lib/server/http/context";
import type { Reply } from "#lib/server/http/reply";
import { confirmDigest, getConfirmation, getUnsubscription, unsubscribe } from "#lib/tracking/digests/index";
import { pageReply, type StandalonePage } from "../standalone-page";
import {
  alreadyConfirmedPage,
  confirmedPage,
  confirmPage,
  invalidLinkPage,
  unsubscribedPage,
  unsubscribePage,
} from "./link-pages";

type Input = { query: { token: string } };
type PostInput = Input & { rawBody: Uint8Array };

/** Answers with a page, also where the link of a mail is no longer valid. Throws other errors. */
async function answerWithPage({ site }: RequestContext, create: () => Promise<StandalonePage>): Promise<Reply> {
  try {
    return pageReply(site.display_name, await create());
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return pageReply(site.display_name, invalidLinkPage(escapeMarkup(error.message)), error.status);
  }
}

export function showConfirmation(context: RequestContext, input: Input): Promise<Reply> {
  return answerWithPage(context, async () => {
    const digest = await getConfirmation(context, input);
    return digest.isConfirmed ? alreadyConfirmedPage(digest) : confirmPage(digest, input.query.token);
  });
}

export function confirm(context: RequestContext, input: Input): Promise<Reply> {
  return answerWithPage(context, async () => confirmedPage(await confirmDigest(context, input)));
}

export function showUnsubscription(context: RequestContext, input: Input): Promise<Reply> {
  return answerWithPage(context, async () =>
    unsubscribePage(await getUnsubscription(context, input), input.query.token),
  );
}

export function endDigest(context: RequestContext, input: PostInput): Promise<Reply> {
  return answerWithPage(context, async () => {
    await unsubscribe(context, input);
    return unsubscribedPage;
  });
}
