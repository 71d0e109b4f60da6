import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type MemberView } from '../../api/client';
import { meQuery, useMe } from '../../app/queries';
import {
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  Field,
  KeyValues,
  Loaded,
  RelativeTime,
  Select,
  SidePanel,
  toast,
  toastError,
} from '../../ui';
import { UserIcon } from '../../ui/icon';
import styles from './members.module.css';
import { membersQuery } from './queries';
import { allowsOf, type Role, ROLES, ROLES_OF_SERVICES } from './roles';

/** One member: how it signs in, its role, and its end. */
export function MemberPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const members = useInfiniteQuery(membersQuery);
  const member = members.data?.pages.flatMap(({ data }) => data).find((each) => each.id === id);
  return (
    <SidePanel title={member?.email ?? 'Member'} aside={member && <Badge>{member.role}</Badge>} onClose={onClose}>
      <Loaded query={members}>
        {() =>
          member === undefined ? (
            <EmptyState icon={UserIcon} title="No such member">
              It was removed, or is further down in the list.
            </EmptyState>
          ) : (
            <Details member={member} onClose={onClose} />
          )
        }
      </Loaded>
    </SidePanel>
  );
}

type Question = 'sessions' | 'factor' | 'remove';

function Details({ member, onClose }: { readonly member: MemberView; readonly onClose: () => void }) {
  const [asking, setAsking] = useState<Question | null>(null);
  const me = useMe().data;
  const isOwner = me?.role === 'owner';
  const isService = member.kind === 'service';
  return (
    <div className={styles.stack}>
      {isService && (
        <p className="cell-muted">
          A service account has API keys, and cannot sign in. <Link to="/keys">Create a key for it</Link>.
        </p>
      )}
      <KeyValues
        rows={[
          [
            'E-mail address',
            isService ? null : member.email_verified ? (
              <Badge key="confirmed" tone="ok">
                Confirmed
              </Badge>
            ) : (
              <Badge key="confirmed" tone="warn">
                Not confirmed
              </Badge>
            ),
          ],
          ['State', member.active ? null : 'deactivated by the identity provider'],
          ['Signs in by', isService ? null : member.sign_in.join(', ') || 'nothing yet'],
          ['Second factor', isService ? null : member.second_factor ? 'yes' : 'no'],
          ['Member since', <RelativeTime key="since" at={member.created_at} />],
          ['Last sign-in', member.last_sign_in_at && <RelativeTime key="last" at={member.last_sign_in_at} />],
        ]}
      />
      {isOwner ? (
        <RoleField member={member} />
      ) : (
        <p className="cell-muted">Owners change roles and remove members. {allowsOf(member.role)}</p>
      )}
      <div className={styles.actions}>
        {!isService && (isOwner || member.role !== 'owner') && (
          <Button onClick={() => setAsking('sessions')}>End the sessions</Button>
        )}
        {isOwner && member.second_factor && (
          <Button onClick={() => setAsking('factor')}>Remove the second factors</Button>
        )}
        {isOwner && (
          <Button kind="danger" onClick={() => setAsking('remove')}>
            Remove from the workspace
          </Button>
        )}
      </div>
      {asking !== null && <Ask question={asking} member={member} onClose={() => setAsking(null)} onRemoved={onClose} />}
    </div>
  );
}

function RoleField({ member }: { readonly member: MemberView }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const change = (role: Role): void => {
    setBusy(true);
    api.auth
      .set_role({ id: member.id, body: { role } })
      .then(async () => {
        toast(`${member.email} is ${role} now`);
        await client.invalidateQueries({ queryKey: ['members'] });
        await client.invalidateQueries({ queryKey: meQuery.queryKey });
      })
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <Field label="Role" hint={allowsOf(member.role)}>
      <Select
        options={member.kind === 'service' ? ROLES_OF_SERVICES : ROLES}
        value={member.role}
        disabled={busy}
        onChange={({ currentTarget: { value } }) => change(value as Role)}
      />
    </Field>
  );
}

interface AskProps {
  readonly question: Question;
  readonly member: MemberView;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function Ask({ question, member: { id, email }, onClose, onRemoved }: AskProps) {
  const client = useQueryClient();
  const { title, action, text, act, done } = {
    sessions: {
      title: `End the sessions of ${email}?`,
      action: 'End the sessions',
      text: 'The member signs in again on every device. API keys stay valid.',
      act: () => api.auth.end_member_sessions({ id }),
      done: 'The sessions have ended',
    },
    factor: {
      title: `Remove the second factors of ${email}?`,
      action: 'Remove the second factors',
      text: 'For a member who has lost them. The sessions of the member end, too.',
      act: () => api.auth.reset_member_factor({ id }),
      done: 'The second factors are removed',
    },
    remove: {
      title: `Remove ${email}?`,
      action: 'Remove from the workspace',
      text: 'The sessions, API keys and invitations of the member end at once. Workflows, runs and connections stay.',
      act: () => api.auth.remove_member({ id }),
      done: `${email} is removed`,
    },
  }[question];
  return (
    <ConfirmDialog
      title={title}
      action={action}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await act();
        toast(done);
        await client.invalidateQueries({ queryKey: ['members'] });
        if (question === 'remove') onRemoved();
      }}
    >
      {text}
    </ConfirmDialog>
  );
}
