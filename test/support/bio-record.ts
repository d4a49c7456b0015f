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

/** Returns a valid account without records. The fields in `more` replace its fields, and may be invalid. */
export const emptyAccount = (screen_name: string, more: object = {}) => ({
  ...{ screen_name, account_creation_date: null, profile_image_url: '', data: [], data_page_count: 0 },
  ...{ display_name: screen_name, website: null, location: '', bio: '' },
  ...more,
});
