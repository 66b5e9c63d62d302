/** A small music store made up from a seed: equal keys in every order, names in many scripts, and nulls. */
import type { SourceRow, Store } from '../../lab/questions/chinook/store.ts';

const artistNames = [
  'Ärzte',
  'Zoë',
  'zoë',
  'Мумий Тролль',
  'Ελένη',
  '東京事変',
  '～ wide',
  '𝄞 clef',
  '🎸 loud',
  "It's 100% [*]_?",
];
const trackWords = [
  'Über',
  'uber',
  'İstanbul',
  'Straße',
  'STRASSE',
  'ночь',
  'Ночь',
  '夜',
  '𝄞',
  'ｚ',
  '%',
  '_',
  '*',
  '[a-z]',
  "'",
  '\\',
];
const composers = [
  'Lars Ulrich',
  'LARS ULRICH, James Hetfield',
  'ulrich',
  'João Gilberto',
  'JOÃO GILBERTO',
  'Sigur Rós',
  null,
];
const firstNames = ['André', 'ANDRÉ', 'Jörg', 'JÖRG', 'Conceição', 'Ana', 'Владимир', '明'];
const lastNames = ['Gruber', 'MÜLLER', 'Lemos', 'Jones', "O'Brien", 'Ивáнов'];
const countries = ['Germany', 'France', 'Brazil', 'germany'];
const prices = [0.99, 1.99, 1.5, 10];
const totals = [0.99, 9.99, 10, 10.01, 13.86, 100, 25.5];

const counts = { artists: 30, albums: 45, tracks: 300, customers: 24, invoices: 120, lines: 240, playlists: 8 };

/** The same store for the same seed. */
export function generatedStore(seed: number): Store {
  const random = randomOf(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;
  const idOf = (count: number) => 1 + below(count);
  const address = (prefix: string) => ({
    [`${prefix}Address`]: `${oneOf(['Große Straße', 'Rua João', 'ул. Мира'])} ${below(100)}`,
    [`${prefix}City`]: oneOf(['São Paulo', 'Köln', 'Paris']),
    [`${prefix}State`]: oneOf(['SP', null]),
    [`${prefix}Country`]: oneOf(countries),
    [`${prefix}PostalCode`]: oneOf(['01000', null]),
  });
  const contact = (id: number) => ({
    Phone: `+49 ${id}`,
    Fax: oneOf([`+49 ${id} 1`, null]),
    Email: `${id}@example.com`,
  });

  return {
    Artist: rows(counts.artists, (ArtistId) => ({ ArtistId, Name: `${oneOf(artistNames)}${oneOf(['', ' 2'])}` })),
    // The last artists have no album.
    Album: rows(counts.albums, (AlbumId) => ({
      AlbumId,
      Title: `${oneOf(trackWords)} ${oneOf(trackWords)}`,
      ArtistId: idOf(counts.artists - 5),
    })),
    Genre: rows(3, (GenreId) => ({ GenreId, Name: oneOf(trackWords) })),
    MediaType: rows(2, (MediaTypeId) => ({ MediaTypeId, Name: `audio ${MediaTypeId}` })),
    Track: rows(counts.tracks, (TrackId) => ({
      TrackId,
      Name: `${oneOf(trackWords)}${oneOf(trackWords)}`,
      AlbumId: idOf(counts.albums),
      MediaTypeId: idOf(2),
      GenreId: oneOf([null, idOf(3)]),
      Composer: oneOf(composers),
      Milliseconds: 1_000 * idOf(12),
      Bytes: Number.MAX_SAFE_INTEGER - below(1_000) * 1_000,
      UnitPrice: oneOf(prices),
    })),
    Employee: rows(6, (EmployeeId) => ({
      EmployeeId,
      LastName: oneOf(lastNames),
      FirstName: oneOf(firstNames),
      Title: 'Sales',
      ReportsTo: EmployeeId === 1 ? null : idOf(EmployeeId - 1),
      BirthDate: `19${60 + below(40)}-02-28 23:59:59`,
      HireDate: `20${10 + below(3)}-06-30 00:00:00`,
      ...address(''),
      ...contact(EmployeeId),
    })),
    Customer: rows(counts.customers, (CustomerId) => ({
      CustomerId,
      FirstName: oneOf(firstNames),
      LastName: oneOf(lastNames),
      Company: oneOf(['Embraer - Aeronáutica', null]),
      ...address(''),
      ...contact(CustomerId),
      SupportRepId: oneOf([null, idOf(6)]),
    })),
    Invoice: rows(counts.invoices, (InvoiceId) => ({
      InvoiceId,
      CustomerId: idOf(counts.customers),
      InvoiceDate: `${oneOf([2020, 2021, 2022])}-${oneOf(['01-01', '02-28', '03-01', '05-31', '12-31'])} ${oneOf(['00:00:00', '23:59:59'])}`,
      ...address('Billing'),
      Total: oneOf(totals),
    })),
    // Only half of the tracks are ever sold.
    InvoiceLine: rows(counts.lines, (InvoiceLineId) => ({
      InvoiceLineId,
      InvoiceId: idOf(counts.invoices),
      TrackId: idOf(counts.tracks / 2),
      UnitPrice: oneOf(prices),
      Quantity: idOf(3),
    })),
    Playlist: rows(counts.playlists, (PlaylistId) => ({ PlaylistId, Name: oneOf(trackWords) })),
    PlaylistTrack: rows(counts.tracks, (TrackId) => ({ PlaylistId: idOf(counts.playlists), TrackId })),
  };
}

function rows(count: number, rowOf: (id: number) => SourceRow): SourceRow[] {
  return Array.from({ length: count }, (_, index) => rowOf(index + 1));
}

/** Numbers from 0 up to 1: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
