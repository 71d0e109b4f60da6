import type { JsonObject } from '../../../lib/json';
import { queryKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, hidden } from '../define';
import { listAs } from '../http/read';
import { choice, integer, list, number, outputOf, record, text } from '../schemas';

const PLACE = {
  lat: number('Latitude', 'In degrees, north of the equator.', 52.52, { minimum: -90, maximum: 90 }),
  lon: number('Longitude', 'In degrees, east of Greenwich.', 13.4, { minimum: -180, maximum: 180 }),
};
const SHOWN = {
  units: choice(['standard', 'metric', 'imperial'], 'Units', 'Kelvin, degrees Celsius or Fahrenheit.', {
    default: 'metric',
  }),
  lang: text('Language', 'Of descriptions.', 'de'),
};
const PLACES = outputOf({
  places: list(record('Place', 'With `name`, `country`, `lat` and `lon`.'), 'Places', 'Best matches first.', [
    { name: 'Berlin', country: 'DE', lat: 52.52, lon: 13.4 },
  ]),
  count: integer('Count', 'How many there are.', 1),
});

const weather = (path: string) => (input: JsonObject) => ({
  method: 'GET' as const,
  url: `/data/2.5/${path}`,
  query: { units: 'metric', ...ask(input, 'lat', 'lon', 'units', 'lang') },
});

const actions: readonly HttpAction[] = [
  asks('find_place', 'Find a place', 'Where places of a name are.', {
    needs: { q: text('Name', 'With state and country, by commas.', 'Berlin,DE', { minLength: 1 }) },
    output: PLACES,
    call: 'GET /geo/1.0/direct',
    query: { limit: 5 },
    read: listAs('places'),
  }),
  asks('name_place', 'Name a place', 'What places there are at a point.', {
    needs: PLACE,
    output: PLACES,
    call: 'GET /geo/1.0/reverse',
    query: { limit: 5 },
    read: listAs('places'),
  }),
  asks('get_weather', 'Get the weather', 'The weather now.', {
    needs: PLACE,
    may: SHOWN,
    output: outputOf({
      name: text('Place', 'Its name.', 'Berlin'),
      main: record('Figures', 'Temperature, pressure, humidity.', { temp: 21.4, humidity: 56 }),
      weather: list(record('Weather', 'With `main` and `description`.'), 'Weather', 'In words.', [
        { main: 'Clouds', description: 'few clouds' },
      ]),
    }),
    request: weather('weather'),
  }),
  asks('get_forecast', 'Get a forecast', 'The weather of five days, every three hours.', {
    needs: PLACE,
    may: SHOWN,
    output: outputOf({
      list: list(record('Weather', 'With `dt_txt`, `main` and `weather`.'), 'Weather', 'In the order of time.', [
        { dt_txt: '2026-08-30 15:00:00', main: { temp: 21.4 } },
      ]),
    }),
    request: weather('forecast'),
  }),
  asks('get_air_quality', 'Get the quality of the air', 'What is in the air now.', {
    needs: PLACE,
    output: outputOf({
      list: list(record('Air', 'With `main.aqi` from 1, good, to 5, and `components`.'), 'Air', 'One entry.', [
        { main: { aqi: 2 }, components: { pm2_5: 4.1 } },
      ]),
    }),
    call: 'GET /data/2.5/air_pollution',
  }),
];

export const openweather: Connector = {
  name: 'openweather',
  title: 'OpenWeather',
  description: 'Weather, forecasts and the quality of the air.',
  category: 'Data',
  docs: 'https://openweathermap.org/api',
  auth: {
    required: true,
    fields: [
      hidden(
        'api_key',
        'API key',
        'Your account, My API keys; new ones count after a while.',
        '0123456789abcdef0123456789abcdef',
      ),
    ],
  },
  base: () => 'https://api.openweathermap.org',
  sign: queryKey('appid', 'api_key'),
  probe: { action: 'find_place', input: { q: 'Berlin,DE' } },
  actions,
};
