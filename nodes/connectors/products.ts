import { airtable } from './airtable';
import { asana } from './asana';
import { clickup } from './clickup';
import type { Connector } from './contract';
import { discord } from './discord';
import { discordWebhook } from './discord-webhook';
import { freshdesk } from './freshdesk';
import { github } from './github';
import { gitlab } from './gitlab';
import { hubspot } from './hubspot';
import { intercom } from './intercom';
import { jira } from './jira';
import { linear } from './linear';
import { mailchimp } from './mailchimp';
import { microsoftTeams } from './microsoft-teams';
import { monday } from './monday';
import { pipedrive } from './pipedrive';
import { salesforce } from './salesforce';
import { sendgrid } from './sendgrid';
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
  discord,
  discordWebhook,
  freshdesk,
  github,
  gitlab,
  hubspot,
  intercom,
  jira,
  linear,
  mailchimp,
  microsoftTeams,
  monday,
  pipedrive,
  salesforce,
  sendgrid,
  shopify,
  todoist,
  trello,
  woocommerce,
  zendesk,
];
