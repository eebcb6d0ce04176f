package kit

// scanScalar finds the end of the literal or number at i.
func scanScalar(b []byte, i int) (int, Kind, error) {
	switch b[i] {
	case 't':
		return scanWord(b, i, "true", Bool)
	case 'f':
		return scanWord(b, i, "false", Bool)
	case 'n':
		return scanWord(b, i, "null", Null)
	case 'N':
		return scanWord(b, i, "NaN", Number)
	case 'I':
		return scanWord(b, i, "Infinity", Number)
	}
	return scanNumber(b, i)
}

func scanWord(b []byte, i int, word string, kind Kind) (int, Kind, error) {
	for j := range len(word) {
		if i+j >= len(b) {
			return 0, 0, &SyntaxError{len(b), true}
		}
		if b[i+j] != word[j] {
			return 0, 0, &SyntaxError{i + j, false}
		}
	}
	return i + len(word), kind, nil
}

// scanNumber follows the grammar: minus, no leading zeros, digits on both sides of the point, digits in the exponent.
func scanNumber(b []byte, i int) (int, Kind, error) {
	if b[i] == '-' {
		if i++; i < len(b) && b[i] == 'I' {
			return scanWord(b, i, "Infinity", Number)
		}
	}
	first := i
	i, err := scanDigits(b, i)
	if err != nil {
		return 0, 0, err
	}
	if b[first] == '0' && i > first+1 {
		return 0, 0, &SyntaxError{first + 1, false}
	}
	if i < len(b) && b[i] == '.' {
		if i, err = scanDigits(b, i+1); err != nil {
			return 0, 0, err
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i, err = scanDigits(b, i); err != nil {
			return 0, 0, err
		}
	}
	return i, Number, nil
}

// scanDigits wants at least one digit.
func scanDigits(b []byte, i int) (int, error) {
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == first {
		return 0, &SyntaxError{i, i >= len(b)}
	}
	return i, nil
}
