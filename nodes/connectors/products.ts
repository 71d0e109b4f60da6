import { airtable } from './airtable';
import { asana } from './asana';
import { brevo } from './brevo';
import { calendly } from './calendly';
import { clickup } from './clickup';
import { cloudflare } from './cloudflare';
import type { Connector } from './contract';
import { deepl } from './deepl';
import { discord } from './discord';
import { discordWebhook } from './discord-webhook';
import { dropbox } from './dropbox';
import { freshdesk } from './freshdesk';
import { github } from './github';
import { gitlab } from './gitlab';
import { hubspot } from './hubspot';
import { intercom } from './intercom';
import { jira } from './jira';
import { linear } from './linear';
import { mailchimp } from './mailchimp';
import { microsoft } from './microsoft';
import { microsoftTeams } from './microsoft-teams';
import { monday } from './monday';
import { openweather } from './openweather';
import { pagerduty } from './pagerduty';
import { pipedrive } from './pipedrive';
import { salesforce } from './salesforce';
import { sendgrid } from './sendgrid';
import { sentry } from './sentry';
import { shopify } from './shopify';
import { supabase } from './supabase';
import { todoist } from './todoist';
import { trello } from './trello';
import { typeform } from './typeform';
import { woocommerce } from './woocommerce';
import { wordpress } from './wordpress';
import { zendesk } from './zendesk';

/** Connectors with the name of their product. */
export const products: readonly Connector[] = [
  airtable,
  asana,
  brevo,
  calendly,
  clickup,
  cloudflare,
  deepl,
  discord,
  discordWebhook,
  dropbox,
  freshdesk,
  github,
  gitlab,
  hubspot,
  intercom,
  jira,
  linear,
  mailchimp,
  microsoft,
  microsoftTeams,
  monday,
  openweather,
  pagerduty,
  pipedrive,
  salesforce,
  sendgrid,
  sentry,
  shopify,
  supabase,
  todoist,
  trello,
  typeform,
  woocommerce,
  wordpress,
  zendesk,
];
