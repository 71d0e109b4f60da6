import { useState } from 'react';
import { IconButton } from './button';
import { classes } from './classes';
import './code.css';
import { CheckIcon, CopyIcon } from './icon';
import { toastError } from './toast';

const COPIED_MS = 1_500;

interface CopyButtonProps {
  /** A function makes a text that may be long when it is wanted. */
  readonly text: string | (() => string);
  readonly label?: string;
}

/** Copies a text. */
export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), COPIED_MS);
    }, toastError);
  };
  return (
    <IconButton size="small" icon={copied ? CheckIcon : CopyIcon} label={copied ? 'Copied' : label} onClick={copy} />
  );
}

/** Several lines of code or log, with a button that copies them. */
export function CodeBlock({
  text,
  wrap = false,
  label = 'Code',
}: {
  readonly text: string;
  readonly wrap?: boolean;
  readonly label?: string;
}) {
  return (
    <div className="code-block">
      <pre className={classes(wrap && 'code-wrap')} tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** An id or another short text in one line, with a button that copies it. */
export function CopyText({ text }: { readonly text: string }) {
  return (
    <span className="copy-text">
      <code>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}
