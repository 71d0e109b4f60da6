import { botMessenger } from './bot-messenger';
import { chat } from './chat';
import type { Connector } from './contract';
import { notes } from './notes';
import { suiteCalendar } from './suite-calendar';
import { suiteDrive } from './suite-drive';
import { suiteSheets } from './suite-sheets';

/** Connectors of the providers that have a neutral word in routes and settings. */
export const neutral: readonly Connector[] = [suiteCalendar, suiteSheets, suiteDrive, notes, chat, botMessenger];
