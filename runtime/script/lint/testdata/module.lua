return {} --- want: "no-registration: the file registers nothing"
