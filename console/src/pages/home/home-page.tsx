import { useMe } from '../../app/queries';
import { KeyValues, Loaded, Page, Card } from '../../ui';

export function HomePage() {
  const me = useMe();
  return (
    <Page title="Home">
      <Card title="Workspace">
        <Loaded query={me}>
          {(user) => (
            <KeyValues
              rows={[
                ['Workspace', user.tenant.name],
                ['Plan', user.tenant.plan],
              ]}
            />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
