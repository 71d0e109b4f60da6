import { type MailAddress, parseMailAddress } from './mail-address';
import { readSmtpUrl, type SmtpServer } from './smtp-url';

/** The installation's mail server. */
export interface MailConfig {
  readonly server: SmtpServer;
  /** Sender of its mails. */
  readonly from: MailAddress;
}

/** Reads SMTP_*; null without it. Adds faults to the list, without possible passwords. */
export function readMail(text: (name: string) => string | null, faults: string[]): MailConfig | null {
  const url = text('SMTP_URL');
  const sender = text('SMTP_FROM');
  if (url === null && sender === null) return null;
  const server = url === null ? null : readSmtpUrl(url);
  const from = sender === null ? null : parseMailAddress(sender);
  if (url === null) faults.push('SMTP_FROM is set without SMTP_URL; set both or none');
  else if (server === null) {
    faults.push(
      'SMTP_URL must look like smtps://user:password@host, smtp://user:password@host:587 or smtp://host?security=none',
    );
  }
  if (sender === null) faults.push('SMTP_URL needs SMTP_FROM, the sender of the mails');
  else if (from === null)
    faults.push(`SMTP_FROM="${sender}" must look like no-reply@example.com or Name <no-reply@example.com>`);
  return server !== null && from !== null ? { server, from } : null;
}
