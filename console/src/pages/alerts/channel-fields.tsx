import { useId } from 'react';
import { type ChannelDraft, type ChannelKind, newChannel } from '../../model/alerts';
import { Button, Field, IconButton, Input, Select, Textarea } from '../../ui';
import { DeleteIcon, PlusIcon } from '../../ui/icon';
import styles from './alerts.module.css';

const KINDS: readonly { readonly value: ChannelKind; readonly label: string }[] = [
  { value: 'mail', label: 'Mail' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'connector', label: 'Action of a connector' },
];
const MAX_CHANNELS = 5;

interface ChannelFieldsProps {
  readonly channels: readonly ChannelDraft[];
  readonly onChange: (channels: ChannelDraft[]) => void;
}

/** Where notices go: one to five channels. */
export function ChannelFields({ channels, onChange }: ChannelFieldsProps) {
  const prefix = useId();
  const put = (changed: ChannelDraft): void =>
    onChange(channels.map((each) => (each.key === changed.key ? changed : each)));
  return (
    <fieldset className={styles.channels}>
      <legend>Send notices to</legend>
      {channels.map((channel, index) => (
        <div key={channel.key} className={styles.channel}>
          <div className={styles.channelHead}>
            <Select
              aria-label={`Kind of channel ${index + 1}`}
              options={KINDS}
              value={channel.kind}
              onChange={({ currentTarget: { value } }) => put(newChannel(channel.key, value as ChannelKind))}
            />
            {channels.length > 1 && (
              <IconButton
                icon={DeleteIcon}
                label={`Remove channel ${index + 1}`}
                size="small"
                onClick={() => onChange(channels.filter(({ key }) => key !== channel.key))}
              />
            )}
          </div>
          <Fields channel={channel} onChange={put} />
        </div>
      ))}
      {channels.length < MAX_CHANNELS && (
        <div>
          <Button
            size="small"
            icon={PlusIcon}
            onClick={() => onChange([...channels, newChannel(`${prefix}${Date.now()}`, 'webhook')])}
          >
            Add a channel
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface FieldsProps {
  readonly channel: ChannelDraft;
  readonly onChange: (channel: ChannelDraft) => void;
}

function Fields({ channel, onChange }: FieldsProps) {
  const text = (name: 'to' | 'url' | 'action' | 'connection' | 'textField', required = true) => (
    <Input
      value={channel[name]}
      required={required}
      onChange={({ currentTarget: { value } }) => onChange({ ...channel, [name]: value })}
    />
  );
  switch (channel.kind) {
    case 'mail':
      return (
        <Field label="To" hint="owners, admins, or confirmed addresses of members, with commas.">
          {text('to')}
        </Field>
      );
    case 'webhook':
      return (
        <Field label="URL" hint="Gets a signed POST with JSON. The secret is shown once, after saving.">
          {text('url')}
        </Field>
      );
    case 'connector':
      return (
        <>
          <Field label="Action" hint="The type of a step, such as chat.post_message.">
            {text('action')}
          </Field>
          <Field label="Connection" hint="Its id or name; empty: the only one." optional>
            {text('connection', false)}
          </Field>
          <Field label="Input" hint="JSON. The text of the notice is put in the field below.">
            <Textarea
              code
              rows={3}
              value={channel.input}
              onChange={({ currentTarget: { value } }) => onChange({ ...channel, input: value })}
            />
          </Field>
          <Field label="Field of the text">{text('textField')}</Field>
        </>
      );
  }
}
