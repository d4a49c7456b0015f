/** Returns a valid change of the bio of jack. The fields in `more` replace its fields, and may be invalid. */
export const bioRecord = (id: number, more: object = {}) => ({
  id,
  account: 'jack',
  data_type: 'Bio',
  previous: null,
  text: `bio ${id}`,
  first_encountered_date: '2023-11-18T16:29:12Z',
  diff_html: '',
  web_archive_url: null,
  ...more,
});
