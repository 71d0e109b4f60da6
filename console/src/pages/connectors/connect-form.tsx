import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, type ConnectorView } from '../../api/client';
import { credentialsOf } from '../../model/connectors';
import { Form, FormFooter, TextField, toast } from '../../ui';

/** Connects an account by its credentials, which the server tests before it keeps them. */
export function ConnectForm({
  connector,
  onClose,
}: {
  readonly connector: ConnectorView;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { name: type, title, auth } = connector;
  return (
    <Form
      label={`Account of ${title}`}
      onSubmit={async (values) => {
        const credentials = credentialsOf(auth.fields, values);
        const { id } = await api.connections.create({
          body: { connector: type, name: values.name ?? title, credentials },
        });
        toast('The account is connected');
        await client.invalidateQueries({ queryKey: ['connections'] });
        await navigate({ to: '/connections', search: { open: id } });
      }}
    >
      {({ busy }) => (
        <>
          <TextField name="name" label="Name" hint="Steps name the account by it." defaultValue={title} />
          {auth.fields.map((field) => (
            <TextField
              key={field.name}
              name={`field.${field.name}`}
              label={field.title}
              hint={field.description}
              type={field.secret ? 'password' : field.format === 'url' ? 'url' : 'text'}
              autoComplete={field.secret ? 'new-password' : 'off'}
              optional={!field.required}
              {...(field.default === undefined ? {} : { defaultValue: field.default })}
              {...(field.example === undefined ? {} : { placeholder: field.example })}
            />
          ))}
          <p className="cell-muted">The credentials are tested, encrypted, and not shown again.</p>
          <FormFooter action="Connect" busy={busy} onClose={onClose} />
        </>
      )}
    </Form>
  );
}
