import { billingProvider } from './billing-provider';
import { botMessenger } from './bot-messenger';
import { chat } from './chat';
import type { Connector } from './contract';
import { messagingA } from './messaging-a';
import { messagingB } from './messaging-b';
import { notes } from './notes';
import { suiteCalendar } from './suite-calendar';
import { suiteDrive } from './suite-drive';
import { suiteMail } from './suite-mail';
import { suiteSheets } from './suite-sheets';

/** Connectors of the products with a neutral name in routes and settings. */
export const neutral: readonly Connector[] = [
  suiteMail,
  suiteCalendar,
  suiteSheets,
  suiteDrive,
  notes,
  chat,
  messagingA,
  messagingB,
  billingProvider,
  botMessenger,
];
