import type { WebhookFormat } from "../schemas";

/** What an event says of a change, in the parts that all chats show. */
type Message = {
  title: string;
  text: string;
  facts: readonly (readonly [name: string, value: string])[];
  url: string | undefined;
};

type Event = {
  test?: boolean;
  created_at: string;
  data: {
    url?: string;
    report: { summary: string; significance: number; categories: readonly string[]; vendor: { name: string } };
  };
};

/** Longest title and text for each service, in characters. The limits of the services are a little higher. */
const maxLength = { slack: [150, 2_900], discord: [250, 4_000], teams: [250, 6_000] } as const;

function clip(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

function toMessage({ test, data: { report, url } }: Event): Message {
  const { vendor, significance, categories, summary } = report;
  return {
    title: `${test ? "Test: " : ""}${vendor.name} changed`,
    text: summary,
    facts: [
      ["Significance", `${significance} of 5`],
      ["Categories", categories.join(", ")],
    ],
    url,
  };
}

/** Slack gives these characters a meaning in formatted texts. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A message for an incoming webhook of Slack. Source: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
function slackBody({ title, text, facts, url }: Message) {
  const [titleLength, textLength] = maxLength.slack;
  const context = facts.map(([name, value]) => `${name}: ${escapeSlack(value)}`).join(" · ");
  return {
    text: escapeSlack(`${title}: ${clip(text, titleLength)}`),
    blocks: [
      { type: "header", text: { type: "plain_text", text: clip(title, titleLength), emoji: false } },
      { type: "section", text: { type: "plain_text", text: clip(text, textLength), emoji: false } },
      { type: "context", elements: [{ type: "mrkdwn", text: url ? `${context} · <${url}|See the change>` : context }] },
    ],
  };
}

/** Colours of the line beside an embed: of 5, and of less. */
const [breakingColor, notableColor] = [0xb42318, 0xb26a00];

/** A message for a webhook of Discord, which notifies nobody. Source: https://docs.discord.com/developers/resources/webhook */
function discordBody({ title, text, facts, url }: Message, { created_at: timestamp, data }: Event) {
  const [titleLength, textLength] = maxLength.discord;
  return {
    embeds: [
      {
        title: clip(title, titleLength),
        // Discord reads Markdown in it.
        description: clip(text, textLength / 2).replace(/[\\*_~`|>#[\]()-]/g, "\\$&"),
        ...(url && { url }),
        color: data.report.significance >= 5 ? breakingColor : notableColor,
        fields: facts.map(([name, value]) => ({ name, value: value || "none", inline: true })),
        timestamp,
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/**
 * A message for a workflow of Microsoft Teams that is started by a webhook: an adaptive card, whose text runs read no Markdown.
 * Source: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
function teamsBody({ title, text, facts, url }: Message) {
  const [titleLength, textLength] = maxLength.teams;
  const run = (value: string, more = {}) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text: value, ...more }],
  });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      run(clip(title, titleLength), { weight: "bolder", size: "medium" }),
      run(clip(text, textLength)),
      { type: "FactSet", facts: facts.map(([name, value]) => ({ title: name, value })) },
    ],
    ...(url && { actions: [{ type: "Action.OpenUrl", title: "See the change", url }] }),
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

/** Returns the body of a delivery in the format of its webhook. */
export function bodyInFormat(format: WebhookFormat, body: string): string {
  if (format === "json") return body;
  const event = JSON.parse(body) as Event;
  const message = toMessage(event);
  if (format === "slack") return JSON.stringify(slackBody(message));
  return JSON.stringify(format === "discord" ? discordBody(message, event) : teamsBody(message));
}
