import type { Json, JsonObject } from '../../../lib/json';
import { field } from '../auth';
import type { Account, ConnectorResponse, ConnectorFault, ConnectorRequest, HttpAction } from '../contract';
import { statusFault } from '../http/fault';
import { filledText, list, object, record, text } from '../../schema';
import { InvalidInputError } from '../invalid-input-error';
import { secretField } from '../credentials';
import { NO_OUTPUT, defineConnector, writeAction } from '../define';

/** The URL of the webhook, with the query that is a part of its secret. @throws InvalidInputError */
function hookOf(account: Account): URL {
  const hook = field(account, 'webhook_url');
  if (!/^https?:/i.test(hook) || !URL.canParse(hook))
    throw new InvalidInputError('"webhook_url" of the connection must look like https://...');
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

const TITLE = text('Title in bold.', 'Order 4711');
const LINK = {
  link: text('URL of a button below the text.', 'https://shop.example.com/orders/4711'),
  link_title: text('Text of the button.', 'Open', { default: 'Open' }),
};

const actions: readonly HttpAction[] = [
  writeAction('send_message', 'Sends a message to the chat or channel of the webhook.', {
    required: { text: filledText('Text in the Markdown of adaptive cards.', 'It has **shipped**.') },
    optional: { title: TITLE, ...LINK },
    ...NO_OUTPUT,
    request: (input, account) => post(account, cardOf([...titleOf(input), ...block(input.text)], linkOf(input))),
  }),
  writeAction('send_facts', 'Sends a card with names and values.', {
    required: {
      title: TITLE,
      facts: list(
        object(
          { title: text('Text of the fact.', 'Total'), value: text('Text of the fact.', '29.35 EUR') },
          'A name and a value.',
          { required: ['title', 'value'] },
        ),
        'Items in order.',
        [{ title: 'Total', value: '29.35 EUR' }],
        { minItems: 1, maxItems: 50 },
      ),
    },
    optional: { text: text('Text above the facts.', 'It has shipped.'), ...LINK },
    ...NO_OUTPUT,
    request: (input, account) =>
      post(
        account,
        cardOf([...titleOf(input), ...block(input.text), { type: 'FactSet', facts: input.facts ?? [] }], linkOf(input)),
      ),
  }),
  writeAction('send_card', 'Sends your own adaptive card.', {
    required: { card: record("Adaptive card in Microsoft's format.", { type: 'AdaptiveCard', version: '1.4' }) },
    ...NO_OUTPUT,
    request: (input, account) => post(account, input.card ?? null),
  }),
];

/** Older webhooks return 200 with the error of the service behind them as text. */
const BEHIND = /Microsoft Teams endpoint returned HTTP error (\d{3})/;

function fault(response: ConnectorResponse): ConnectorFault | null {
  const behind = typeof response.body === 'string' ? BEHIND.exec(response.body.slice(0, 1_000)) : null;
  return statusFault(behind === null ? response : { ...response, status: Number(behind[1]) });
}

export const microsoftTeams = defineConnector({
  name: 'microsoft-teams',
  title: 'Microsoft Teams',
  description: 'Send messages and cards to a chat or channel by a Workflows webhook.',
  category: 'Communication',
  docs: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook',

  fields: [
    secretField(
      'webhook_url',
      'URL of the webhook',
      'Workflows app > "Post to a channel when a webhook request is received".',
      'https://prod-1.westeurope.logic.azure.com/workflows/abc/triggers/manual/paths/invoke?sig=xyz',
      { format: 'url' },
    ),
  ],
  base: (account) => hookOf(account).origin,
  // The URL is the secret; there is nothing else to show.
  sign: (request) => request,
  fault,
  // There is no test of a webhook, since every request posts a message.
  actions,
});
