import type { Json, JsonObject } from '../../../lib/json';
import { field } from '../auth';
import type { Account, Connector, ConnectorAnswer, ConnectorFault, ConnectorRequest, HttpAction } from '../contract';
import { does, hidden, nothing, NOTHING } from '../define';
import { statusFault } from '../http/fault';
import { list, object, record, text } from '../schemas';
import { Unusable } from '../unusable';

/** The URL of the webhook, with the query that is a part of its secret. @throws Unusable */
function hookOf(account: Account): URL {
  const hook = field(account, 'webhook_url');
  if (!/^https?:/i.test(hook) || !URL.canParse(hook))
    throw new Unusable('"webhook_url" of the connection must look like https://...');
  return new URL(hook);
}

const post = (account: Account, card: Json): ConnectorRequest => ({
  method: 'POST',
  url: hookOf(account).href,
  body: {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  },
});

const block = (words: Json | undefined, further: JsonObject = {}): JsonObject[] =>
  words === undefined ? [] : [{ type: 'TextBlock', text: words, wrap: true, ...further }];

const cardOf = (body: JsonObject[], actions: JsonObject[] = []): JsonObject => ({
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.4',
  body,
  ...(actions.length === 0 ? {} : { actions }),
});

const titleOf = ({ title }: JsonObject): JsonObject[] => block(title, { weight: 'Bolder', size: 'Medium' });

const linkOf = ({ link, link_title: title }: JsonObject): JsonObject[] =>
  link === undefined ? [] : [{ type: 'Action.OpenUrl', title: title ?? 'Open', url: link }];

const TITLE = text('Title', 'In bold letters.', 'Order 4711');
const LINK = {
  link: text('Link', 'What a button below leads to.', 'https://shop.example.com/orders/4711'),
  link_title: text('Button', 'What the button says.', 'Open', { default: 'Open' }),
};

const actions: readonly HttpAction[] = [
  does('send_message', 'Send a message', 'Says something in the chat or channel of the webhook.', {
    needs: { text: text('Text', 'In the Markdown of adaptive cards.', 'It has **shipped**.', { minLength: 1 }) },
    may: { title: TITLE, ...LINK },
    output: NOTHING,
    request: (input, account) => post(account, cardOf([...titleOf(input), ...block(input.text)], linkOf(input))),
    read: nothing,
  }),
  does('send_facts', 'Send facts', 'Shows names and values, one below the other.', {
    needs: {
      title: TITLE,
      facts: list(
        object(
          { title: text('Name', 'Of the fact.', 'Total'), value: text('Value', 'Of the fact.', '29.35 EUR') },
          'Fact',
          'A name and a value.',
          { required: ['title', 'value'] },
        ),
        'Facts',
        'In their order.',
        [{ title: 'Total', value: '29.35 EUR' }],
        { minItems: 1, maxItems: 50 },
      ),
    },
    may: { text: text('Text', 'Above the facts.', 'It has shipped.'), ...LINK },
    output: NOTHING,
    request: (input, account) =>
      post(
        account,
        cardOf([...titleOf(input), ...block(input.text), { type: 'FactSet', facts: input.facts ?? [] }], linkOf(input)),
      ),
    read: nothing,
  }),
  does('send_card', 'Send a card', 'Shows an adaptive card of your own.', {
    needs: { card: record('Card', 'As Microsoft documents adaptive cards.', { type: 'AdaptiveCard', version: '1.4' }) },
    output: NOTHING,
    request: (input, account) => post(account, input.card ?? null),
    read: nothing,
  }),
];

/** Older webhooks answer 200 with the fault of the service behind them in words. */
const BEHIND = /Microsoft Teams endpoint returned HTTP error (\d{3})/;

function fault(answer: ConnectorAnswer): ConnectorFault | null {
  const behind = typeof answer.body === 'string' ? BEHIND.exec(answer.body.slice(0, 1_000)) : null;
  return statusFault(behind === null ? answer : { ...answer, status: Number(behind[1]) });
}

export const microsoftTeams: Connector = {
  name: 'microsoft-teams',
  title: 'Microsoft Teams',
  description: 'Messages and cards in one chat or channel, by a webhook of the Workflows app.',
  category: 'Communication',
  docs: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook',
  auth: {
    required: true,
    fields: [
      hidden(
        'webhook_url',
        'URL of the webhook',
        'Workflows app, "Post to a channel when a webhook request is received".',
        'https://prod-1.westeurope.logic.azure.com/workflows/abc/triggers/manual/paths/invoke?sig=xyz',
        { format: 'url' },
      ),
    ],
  },
  base: (account) => hookOf(account).origin,
  // The URL is the secret; there is nothing else to show.
  sign: (request) => request,
  fault,
  // Nothing can be asked of a webhook: whatever it is sent, people read.
  actions,
};
