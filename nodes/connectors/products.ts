import { airtable } from './airtable';
import { asana } from './asana';
import { clickup } from './clickup';
import type { Connector } from './contract';
import { freshdesk } from './freshdesk';
import { github } from './github';
import { gitlab } from './gitlab';
import { hubspot } from './hubspot';
import { intercom } from './intercom';
import { jira } from './jira';
import { linear } from './linear';
import { monday } from './monday';
import { pipedrive } from './pipedrive';
import { salesforce } from './salesforce';
import { shopify } from './shopify';
import { todoist } from './todoist';
import { trello } from './trello';
import { woocommerce } from './woocommerce';
import { zendesk } from './zendesk';

/** Connectors that are called by the product's own name. */
export const products: readonly Connector[] = [
  airtable,
  asana,
  clickup,
  freshdesk,
  github,
  gitlab,
  hubspot,
  intercom,
  jira,
  linear,
  monday,
  pipedrive,
  salesforce,
  shopify,
  todoist,
  trello,
  woocommerce,
  zendesk,
];
